-- +goose Up
CREATE TABLE kills (
    call_id  text        PRIMARY KEY,
    runner   text        NOT NULL,
    asked_at timestamptz NOT NULL DEFAULT now(),
    sent_at  timestamptz
);
CREATE INDEX kills_open ON kills (runner) WHERE sent_at IS NULL;
COMMENT ON TABLE kills IS 'Commands that are to be killed, by call and by the id of the runner. Written before the first try by whoever wants the kill; sent_at by whoever reached the runner: that process, or the ingress that holds the runner''s socket. Rows of which nothing more can come are removed after eight days.';

-- +goose Down
DROP TABLE kills;
