-- +goose Up
CREATE TABLE service_rooms (
    user_id         bigint      PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    service_id      text        NOT NULL,
    conversation_id text        NOT NULL,
    admin_id        bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    runner          text        NOT NULL CHECK (runner <> ''),
    made_at         timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE service_rooms IS 'On which runner the files of a consumer''s conversation are. Inserted by whoever first looks for them; deleted by the deletion of the conversation once its folder is gone.';
COMMENT ON COLUMN service_rooms.user_id IS 'The consumer.';
COMMENT ON COLUMN service_rooms.admin_id IS 'Whose runner it is.';

-- +goose Down
DROP TABLE service_rooms;
