-- +goose Up
CREATE TABLE payload_keys (
    id         text        PRIMARY KEY,
    sealed     bytea       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE payload_keys IS 'Keys that payloads in Temporal are encrypted with, each sealed with the key of the installation: so a change of that key leaves running histories readable. The newest encrypts, all decrypt. Written by the first process that starts with XBOT_TEMPORAL_CODEC, and by xbot key.';

-- +goose Down
DROP TABLE payload_keys;
