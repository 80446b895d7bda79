-- +goose Up
CREATE TABLE runner_confinement (
    runner     text        PRIMARY KEY CHECK (runner = 'local'),
    confine    text        NOT NULL CHECK (confine IN ('auto', 'off')),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    changed_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE runner_confinement IS 'Whether commands of the server''s own runner run in a sandbox, where XBOT_CONFINE does not say it. Written by PUT /api/runners/local/sandbox; without a row it is auto.';
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OF confine ON runner_confinement
    FOR EACH ROW EXECUTE FUNCTION note_change('sandbox', '', 'runner', 'confine', '', 'changed_by');
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, sandbox, subscription, key, mcp, provider, account, channel, access, person, invite, deletion, schedule, trigger, role, variable, service, service_key.';
COMMENT ON TABLE told_once IS 'Sentences that are said once and then at most daily: to a stranger at the door, to the administrator of a cause. Written before one is said by who says it; rows older than two days are removed by the next one. A sentence that is never repeated is told_at infinity.';

-- +goose Down
COMMENT ON TABLE told_once IS 'Sentences that are said once and then at most daily: to a stranger at the door, to the administrator of a cause. Written before one is said by who says it; rows older than two days are removed by the next one.';
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, subscription, key, mcp, provider, account, channel, access, person, invite, deletion, schedule, trigger, role, variable, service, service_key.';
DELETE FROM changes WHERE kind = 'sandbox';
DROP TABLE runner_confinement;
