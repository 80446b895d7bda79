-- +goose Up
ALTER TABLE identities ADD COLUMN appointed text NOT NULL DEFAULT '';
COMMENT ON COLUMN identities.appointed IS 'Of an administrator: the chat of the settings (ADMIN_CHAT_ID) by which they are one here. Such a row goes at a start at which the settings name another chat. Empty: they are who they are without it.';

-- +goose Down
DELETE FROM identities WHERE appointed <> '';
ALTER TABLE identities DROP COLUMN appointed;
