-- +goose Up
ALTER TABLE messages DROP CONSTRAINT messages_inbox_id_key;
CREATE UNIQUE INDEX messages_one_a_row ON messages (inbox_id, role) WHERE inbox_id IS NOT NULL;
COMMENT ON COLUMN messages.inbox_id IS 'The accepted row a user message came from; for the answer of a command, the row of the command.';

-- +goose Down
UPDATE messages SET inbox_id = NULL WHERE role <> 'user';
DROP INDEX messages_one_a_row;
ALTER TABLE messages ADD CONSTRAINT messages_inbox_id_key UNIQUE (inbox_id);
