-- +goose Up
ALTER TABLE service_conversations ADD COLUMN unnamed boolean NOT NULL DEFAULT false;
UPDATE service_conversations SET unnamed = true WHERE external LIKE 'once:%';
COMMENT ON COLUMN service_conversations.unnamed IS 'A request in OpenAI''s form began it that named neither a conversation nor a user. Where there are as many conversations as may be, it makes room for a new one.';

ALTER TABLE service_rooms
    ADD COLUMN generated_bytes   bigint NOT NULL DEFAULT 0,
    ADD COLUMN attachments_bytes bigint NOT NULL DEFAULT 0;
CREATE INDEX service_rooms_by_service ON service_rooms (service_id);
COMMENT ON COLUMN service_rooms.generated_bytes IS 'How much lay in the folder when it was last looked at, and what was written since. Whoever writes or removes a file of the room looks.';
COMMENT ON COLUMN service_rooms.attachments_bytes IS 'As above, of the other folder.';

-- +goose Down
DROP INDEX service_rooms_by_service;
ALTER TABLE service_rooms DROP COLUMN generated_bytes, DROP COLUMN attachments_bytes;
ALTER TABLE service_conversations DROP COLUMN unnamed;
