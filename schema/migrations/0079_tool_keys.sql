-- +goose Up
CREATE TABLE tool_keys (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id    bigint      REFERENCES users ON DELETE CASCADE,
    service    text        NOT NULL CHECK (service ~ '^[a-z]{1,32}$'),
    base_url   text        NOT NULL DEFAULT '',
    model      text        NOT NULL DEFAULT '',
    secrets    bytea,
    key_hint   text        NOT NULL DEFAULT '',
    revision   bigint      NOT NULL DEFAULT 1,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    UNIQUE NULLS NOT DISTINCT (user_id, service)
);
COMMENT ON TABLE tool_keys IS 'Keys and addresses of the services that tools use: search, pictures, speech, video, transcription. Written by /api/keys.';
COMMENT ON COLUMN tool_keys.user_id IS 'Whose it is; null: the installation''s, for everybody.';
COMMENT ON COLUMN tool_keys.secrets IS 'The key, sealed with the installation''s; null: the service needs none.';
COMMENT ON COLUMN tool_keys.key_hint IS 'The end of the key, by which people know it again.';

-- +goose Down
DROP TABLE tool_keys;
