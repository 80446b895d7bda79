-- +goose Up
CREATE TABLE user_settings (
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    key        text        NOT NULL,
    value      text        NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, key)
);
COMMENT ON TABLE user_settings IS 'What a person chose for themselves: active_runner. Written by the settings API and by commands.';

ALTER TABLE runners ADD COLUMN info jsonb, ADD COLUMN seen_at timestamptz;
COMMENT ON COLUMN runners.info IS 'What the runner said of itself when it last connected (wire.Info). Written by the ingress that took the connection.';

ALTER TABLE sessions ALTER COLUMN runner SET DEFAULT '';
UPDATE sessions SET runner = '' WHERE runner = 'local';
COMMENT ON COLUMN sessions.runner IS 'Runner of this session alone; empty follows the active runner of its user.';

ALTER TABLE inbox DROP CONSTRAINT inbox_kind_check, DROP CONSTRAINT inbox_outcome_check;
ALTER TABLE inbox
    ADD CONSTRAINT inbox_kind_check CHECK (kind IN ('message', 'stop', 'command', 'background')),
    ADD CONSTRAINT inbox_outcome_check CHECK (outcome IN ('claimed', 'stopped', 'rejected', 'applied', 'stale'));

ALTER TABLE messages ADD COLUMN origin text NOT NULL DEFAULT '' CHECK (origin IN ('', 'command', 'background'));
COMMENT ON COLUMN messages.origin IS 'command: a slash or bang command and its answer, display only. background: the end of a background task, told to the model.';

-- +goose Down
ALTER TABLE messages DROP COLUMN origin;
ALTER TABLE inbox DROP CONSTRAINT inbox_kind_check, DROP CONSTRAINT inbox_outcome_check;
ALTER TABLE inbox
    ADD CONSTRAINT inbox_kind_check CHECK (kind IN ('message', 'stop')),
    ADD CONSTRAINT inbox_outcome_check CHECK (outcome IN ('claimed', 'stopped', 'rejected', 'applied', 'stale'));
UPDATE sessions SET runner = 'local' WHERE runner = '';
ALTER TABLE sessions ALTER COLUMN runner SET DEFAULT 'local';
ALTER TABLE runners DROP COLUMN info, DROP COLUMN seen_at;
DROP TABLE user_settings;
