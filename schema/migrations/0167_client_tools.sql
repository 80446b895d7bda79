-- +goose Up
ALTER TABLE tool_calls DROP CONSTRAINT tool_calls_class_check;
ALTER TABLE tool_calls ADD CONSTRAINT tool_calls_class_check CHECK (class IN ('read', 'idempotent', 'exec', 'once', 'agent', 'client'));
COMMENT ON COLUMN tool_calls.class IS 'How a call is scheduled and what a crash may do to it. client: the program that sent the message runs it; its result is written by the intake of that program''s next request, which sets started_at, and until then it is a sentence that there is none.';
ALTER TABLE messages DROP CONSTRAINT messages_origin_check;
ALTER TABLE messages ADD CONSTRAINT messages_origin_check CHECK (origin IN (
    '', 'command', 'background', 'context', 'superseded', 'summarized', 'overheard', 'reset', 'continue',
    'cron', 'hook', 'subagent', 'peer', 'heartbeat', 'person', 'client'));

-- +goose Down
UPDATE messages SET origin = '' WHERE origin = 'client';
ALTER TABLE messages DROP CONSTRAINT messages_origin_check;
ALTER TABLE messages ADD CONSTRAINT messages_origin_check CHECK (origin IN (
    '', 'command', 'background', 'context', 'superseded', 'summarized', 'overheard', 'reset', 'continue',
    'cron', 'hook', 'subagent', 'peer', 'heartbeat', 'person'));
UPDATE tool_calls SET class = 'once' WHERE class = 'client';
ALTER TABLE tool_calls DROP CONSTRAINT tool_calls_class_check;
ALTER TABLE tool_calls ADD CONSTRAINT tool_calls_class_check CHECK (class IN ('read', 'idempotent', 'exec', 'once', 'agent'));
