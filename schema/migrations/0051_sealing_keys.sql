-- +goose Up
CREATE TABLE sealing_keys (
    id         text        PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz
);
COMMENT ON TABLE sealing_keys IS 'Keys of the installation that secrets were sealed with, by a name that tells nothing of the key. With one that is retired nothing is sealed any more. Written by whoever stores a sealed secret, and by xbot key rotate.';

-- +goose Down
DROP TABLE sealing_keys;
