-- +goose Up
ALTER TABLE messages DROP CONSTRAINT messages_origin_check;
ALTER TABLE messages ADD CONSTRAINT messages_origin_check CHECK (origin IN (
    '', 'command', 'background', 'context', 'superseded', 'summarized', 'overheard', 'reset', 'continue',
    'cron', 'hook', 'subagent', 'peer', 'heartbeat'));
COMMENT ON COLUMN messages.origin IS 'Where it came from if not from a person''s ordinary message: chat.Origin*. The model sees neither command nor context nor reset.';

ALTER TABLE sessions DROP CONSTRAINT sessions_chat_type_check;
ALTER TABLE sessions ADD CONSTRAINT sessions_chat_type_check CHECK (chat_type IN ('direct', 'group', 'channel', 'thread', 'cron', 'hook', 'subagent'));

COMMENT ON COLUMN inbox.account IS 'Bot of the channel that received it. Of kind background: what tells the conversation (the origin of its message): background, cron, hook, subagent, peer, heartbeat.';

-- +goose Down
COMMENT ON COLUMN inbox.account IS NULL;
DELETE FROM sessions WHERE chat_type = 'subagent';
ALTER TABLE sessions DROP CONSTRAINT sessions_chat_type_check;
ALTER TABLE sessions ADD CONSTRAINT sessions_chat_type_check CHECK (chat_type IN ('direct', 'group', 'channel', 'thread', 'cron', 'hook'));
UPDATE messages SET origin = 'background' WHERE origin IN ('cron', 'hook', 'subagent', 'peer', 'heartbeat');
ALTER TABLE messages DROP CONSTRAINT messages_origin_check;
ALTER TABLE messages ADD CONSTRAINT messages_origin_check CHECK (origin IN ('', 'command', 'background', 'context', 'superseded', 'summarized', 'overheard', 'reset', 'continue'));
COMMENT ON COLUMN messages.origin IS 'command: a slash or bang command and its answer, display only. background: the end of a background task, told to the model.';
