-- +goose Up
ALTER TABLE messages DROP CONSTRAINT messages_origin_check;
ALTER TABLE messages ADD CONSTRAINT messages_origin_check CHECK (origin IN (
    '', 'command', 'background', 'context', 'superseded', 'summarized', 'overheard', 'reset', 'continue',
    'cron', 'hook', 'subagent', 'peer', 'heartbeat', 'person'));
ALTER TABLE inbox DROP CONSTRAINT inbox_outcome_check;
ALTER TABLE inbox ADD CONSTRAINT inbox_outcome_check CHECK (outcome IN (
    'claimed', 'stopped', 'rejected', 'applied', 'stale', 'superseded', 'recalled', 'dropped', 'summarized', 'taken'));

ALTER TABLE service_conversations
    ADD COLUMN taken_by  bigint REFERENCES users ON DELETE SET NULL,
    ADD COLUMN taken_at  timestamptz,
    ADD COLUMN said_from jsonb;
CREATE INDEX service_conversations_taken ON service_conversations (taken_by) WHERE taken_by IS NOT NULL;
COMMENT ON COLUMN service_conversations.taken_by IS 'The administrator who answers in place of the agent, which is silent until they give the conversation back. Null: the agent answers.';
COMMENT ON COLUMN service_conversations.said_from IS 'Where on a platform an administrator last took the conversation or spoke in it (chat.Address with channel and account), and is told what the consumer writes meanwhile. Null: on the page, or never.';

CREATE TABLE service_inbox (
    id          text        PRIMARY KEY CHECK (id ~ '^inbox_[0-9a-f]{8}$'),
    service_id  text        NOT NULL REFERENCES services ON DELETE CASCADE,
    session_key text        NOT NULL REFERENCES service_conversations ON DELETE CASCADE,
    call_id     text        NOT NULL UNIQUE,
    message     text        NOT NULL CHECK (message <> '' AND char_length(message) <= 4000),
    told        bigint      REFERENCES inbox ON DELETE SET NULL,
    status      text        NOT NULL DEFAULT 'unread' CHECK (status IN ('unread', 'read', 'handled')),
    by_hand     boolean     NOT NULL DEFAULT false,
    answered_by bigint      REFERENCES users ON DELETE SET NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    changed_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX service_inbox_by_service ON service_inbox (service_id, created_at DESC);
CREATE INDEX service_inbox_by_session ON service_inbox (session_key, created_at DESC);
CREATE INDEX service_inbox_told ON service_inbox (told) WHERE told IS NOT NULL;
CREATE INDEX service_inbox_answered ON service_inbox (answered_by) WHERE answered_by IS NOT NULL;
COMMENT ON TABLE service_inbox IS 'What consumers ask a person of the house. Inserted by the tool contact_admin, once for a call; status set by administrators. Goes with the conversation.';
COMMENT ON COLUMN service_inbox.told IS 'The row that has the service''s agent tell the administrator of it, on a platform. Null: they see it on the page.';
COMMENT ON COLUMN service_inbox.by_hand IS 'A person has set the status, which then counts whatever the agent said.';

CREATE VIEW service_inbox_items AS
SELECT i.id, i.service_id, i.session_key, i.message, i.told, i.answered_by, i.created_at, i.changed_at,
       (CASE WHEN NOT i.by_hand AND told.content IS NOT NULL THEN 'handled' ELSE i.status END)::text AS status,
       (CASE WHEN i.by_hand AND i.status = 'handled' THEN 'manual' WHEN NOT i.by_hand AND told.content IS NOT NULL THEN 'agent' ELSE '' END)::text AS handled_by,
       left(coalesce(told.content, ''), 2000)::text AS agent_response
FROM service_inbox i
LEFT JOIN LATERAL (
    SELECT m.content FROM inbox r JOIN turns t ON t.id = r.turn_id JOIN messages m ON m.turn_id = t.id
    WHERE r.id = i.told AND t.state = 'done' AND m.role = 'assistant' AND NOT m.silent AND m.content <> ''
    ORDER BY m.id DESC LIMIT 1
) told ON true;
COMMENT ON VIEW service_inbox_items IS 'Items with what became of them: one that the service''s agent has told the administrator is handled by it, unless a person has set its status.';

-- +goose StatementBegin
CREATE FUNCTION hold_while_taken() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    taker bigint;
BEGIN
    SELECT c.taken_by INTO taker FROM service_conversations c WHERE c.session_key = NEW.session_key FOR SHARE;
    IF taker IS NOT NULL THEN
        NEW.not_before := '9999-01-01 00:00:00Z';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER hold_while_taken BEFORE INSERT ON inbox FOR EACH ROW
    WHEN (NEW.outcome IS NULL AND NEW.kind IN ('message', 'background', 'control') AND NEW.session_key LIKE 'agent:svc\_%')
    EXECUTE FUNCTION hold_while_taken();
COMMENT ON FUNCTION hold_while_taken IS 'Whatever a conversation is told while a person has taken it waits until it is given back, by whichever way it came. The row of the conversation is locked: what is accepted at the moment of a taking comes before or after it.';

-- +goose StatementBegin
CREATE FUNCTION take_and_give() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE inbox SET not_before = CASE WHEN NEW.taken_by IS NOT NULL THEN '9999-01-01 00:00:00Z'::timestamptz END, woken_at = now() - interval '1 hour', wakes = 0
    WHERE session_key = NEW.session_key AND outcome IS NULL AND kind IN ('message', 'background', 'control');
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER take_and_give AFTER UPDATE OF taken_by ON service_conversations FOR EACH ROW
    WHEN ((OLD.taken_by IS NULL) <> (NEW.taken_by IS NULL)) EXECUTE FUNCTION take_and_give();
COMMENT ON FUNCTION take_and_give IS 'What waits in a conversation that is taken is held, and goes on when it is given back, also because whoever took it was deleted.';

-- +goose Down
DROP TRIGGER take_and_give ON service_conversations;
DROP FUNCTION take_and_give;
DROP TRIGGER hold_while_taken ON inbox;
DROP FUNCTION hold_while_taken;
DROP VIEW service_inbox_items;
DROP TABLE service_inbox;
UPDATE service_conversations SET taken_by = NULL;
ALTER TABLE service_conversations DROP COLUMN taken_by, DROP COLUMN taken_at, DROP COLUMN said_from;
UPDATE inbox SET outcome = 'applied' WHERE outcome = 'taken';
ALTER TABLE inbox DROP CONSTRAINT inbox_outcome_check;
ALTER TABLE inbox ADD CONSTRAINT inbox_outcome_check CHECK (outcome IN (
    'claimed', 'stopped', 'rejected', 'applied', 'stale', 'superseded', 'recalled', 'dropped', 'summarized'));
UPDATE messages SET origin = '' WHERE origin = 'person';
ALTER TABLE messages DROP CONSTRAINT messages_origin_check;
ALTER TABLE messages ADD CONSTRAINT messages_origin_check CHECK (origin IN (
    '', 'command', 'background', 'context', 'superseded', 'summarized', 'overheard', 'reset', 'continue',
    'cron', 'hook', 'subagent', 'peer', 'heartbeat'));
