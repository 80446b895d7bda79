-- +goose Up
CREATE TABLE turn_notices (
    user_id       bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    channel       text   NOT NULL,
    account       text   NOT NULL,
    peer          text   NOT NULL,
    after_seconds int    NOT NULL CHECK (after_seconds BETWEEN 10 AND 86400)
);
COMMENT ON TABLE turn_notices IS 'Where on a platform people want to be told of long turns that they began on the page, in a terminal or over HTTP: an identity of theirs. Written by their settings; without a row nobody is told. One whose identity is not theirs any more counts for nothing.';
COMMENT ON COLUMN turn_notices.after_seconds IS 'How long a turn takes at least that is told of.';

-- +goose Down
DROP TABLE turn_notices;
