-- +goose Up
CREATE TABLE user_settings (
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    key        text        NOT NULL,
    value      text        NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, key)
);
COMMENT ON TABLE user_settings IS 'What a person chose for themselves: active_runner, llm_source. Written by the settings API and by commands.';

ALTER TABLE runners ADD COLUMN info jsonb, ADD COLUMN seen_at timestamptz, DROP CONSTRAINT runners_name_check;
ALTER TABLE runners ADD CONSTRAINT runners_name_check CHECK (name ~ '^[a-z0-9][a-z0-9_.-]{0,127}$' OR name = '__docker__');
COMMENT ON TABLE runners IS 'Runners and the SHA-256 of their tokens. The one named local is written by xbot serve, and those named __docker__ by the server that runs a container for their user.';
COMMENT ON COLUMN runners.seen_at IS 'Last time an ingress held a connection made with this token; renewed every 15 s while it does.';
COMMENT ON COLUMN runners.info IS 'What the runner said of itself when it last connected (wire.Info). Written by the ingress that took the connection.';

ALTER TABLE sessions ALTER COLUMN runner SET DEFAULT '';
UPDATE sessions SET runner = '' WHERE runner = 'local';
COMMENT ON COLUMN sessions.runner IS 'Runner of this session alone; empty follows the active runner of its user.';
ALTER TABLE sessions ADD COLUMN cwd_runner text NOT NULL DEFAULT '';
COMMENT ON COLUMN sessions.cwd_runner IS 'Runner that cwd is a folder of; on another one the session starts in the workspace. Empty: not known, cwd holds anywhere.';

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
ALTER TABLE sessions DROP COLUMN cwd_runner, ALTER COLUMN runner SET DEFAULT 'local';
DELETE FROM runners WHERE name = '__docker__';
ALTER TABLE runners DROP COLUMN info, DROP COLUMN seen_at, DROP CONSTRAINT runners_name_check;
ALTER TABLE runners ADD CONSTRAINT runners_name_check CHECK (name ~ '^[a-z0-9][a-z0-9_.-]{0,127}$');
COMMENT ON TABLE runners IS 'Runners and the SHA-256 of their tokens. The one named local is written by xbot serve.';
DROP TABLE user_settings;
