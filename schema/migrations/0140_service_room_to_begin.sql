-- +goose Up
ALTER TABLE service_conversations ADD COLUMN unnamed boolean NOT NULL DEFAULT false;
UPDATE service_conversations SET unnamed = true WHERE external LIKE 'once:%';
COMMENT ON COLUMN service_conversations.unnamed IS 'A request in OpenAI''s form began it that named neither a conversation nor a user. Where there are as many conversations as may be, it makes room for a new one.';

-- +goose Down
ALTER TABLE service_conversations DROP COLUMN unnamed;
