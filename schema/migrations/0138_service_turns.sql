-- +goose Up
ALTER TABLE service_keys ADD COLUMN told_at timestamptz;
COMMENT ON COLUMN service_keys.told_at IS 'When a job of one of its conversations last got a place of the track: keys take turns. Written by the track.';

ALTER TABLE cron_runs DROP CONSTRAINT cron_runs_skipped_check;
ALTER TABLE cron_runs ADD CONSTRAINT cron_runs_skipped_check CHECK (skipped IN ('', 'waiting', 'busy', 'hours', 'empty', 'disabled', 'gone', 'budget', 'revoked'));

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION cron_held(j cron_jobs) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT j.service_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM services s JOIN users a ON a.id = s.admin_id JOIN users o ON o.id = j.user_id
        WHERE s.id = j.service_id AND s.published AND s.deleted_at IS NULL AND a.role = 'admin' AND a.disabled_at IS NULL AND o.disabled_at IS NULL
          AND (o.role = 'admin' OR o.kind = 'consumer' AND s.definition -> 'capabilities' ? 'scheduler' AND EXISTS (
              SELECT FROM service_conversations c JOIN service_keys k ON k.id = c.key_id WHERE c.user_id = o.id AND k.revoked_at IS NULL))
    )
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION cron_held IS 'Whether a job of a service may not act now: the service is withdrawn, or its administrator or the owner of the job is shut out, or is no administrator any more, or the service has lost the capability scheduler that the jobs of its consumers need, or the key of such a consumer is revoked. Its times wait, and count as missed afterwards.';

-- +goose StatementBegin
CREATE FUNCTION service_spent(s services) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce((s.definition #>> '{limits,tokens_per_day}')::bigint, 0) > 0 AND (s.definition #>> '{limits,tokens_per_day}')::bigint <= (
        SELECT coalesce(sum(t.prompt_tokens + t.completion_tokens), 0) FROM service_tokens t
        WHERE t.service_id = s.id AND t.day = (now() AT TIME ZONE 'UTC')::date)
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION service_spent IS 'Whether the tokens are used up that the consumers of a service may use in this day of UTC.';

ALTER TABLE service_conversations ADD COLUMN said_by bigint REFERENCES users ON DELETE SET NULL;
CREATE INDEX service_conversations_said_by ON service_conversations (said_by) WHERE said_by IS NOT NULL;
COMMENT ON COLUMN service_conversations.said_by IS 'The administrator whose chat said_from is. Null: nobody is told there.';
UPDATE service_conversations SET said_by = taken_by WHERE said_from IS NOT NULL;
UPDATE service_conversations SET taken_at = NULL, said_from = NULL WHERE taken_by IS NULL;
UPDATE service_conversations c SET taken_by = NULL, taken_at = NULL, said_from = NULL, said_by = NULL
FROM users u WHERE u.id = c.taken_by AND (u.role <> 'admin' OR u.disabled_at IS NOT NULL);

-- +goose Down
ALTER TABLE service_conversations DROP COLUMN said_by;
DROP FUNCTION service_spent;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION cron_held(j cron_jobs) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT j.service_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM services s JOIN users a ON a.id = s.admin_id JOIN users o ON o.id = j.user_id
        WHERE s.id = j.service_id AND s.published AND s.deleted_at IS NULL AND a.disabled_at IS NULL AND o.disabled_at IS NULL
          AND (o.role = 'admin' OR o.kind = 'consumer' AND s.definition -> 'capabilities' ? 'scheduler')
    )
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION cron_held IS 'Whether a job of a service may not act now: the service is withdrawn, or its administrator or the owner of the job is shut out, or is no administrator any more, or the service has lost the capability scheduler that the jobs of its consumers need. Its times wait, and count as missed afterwards.';
DELETE FROM cron_runs WHERE skipped IN ('budget', 'revoked');
ALTER TABLE cron_runs DROP CONSTRAINT cron_runs_skipped_check;
ALTER TABLE cron_runs ADD CONSTRAINT cron_runs_skipped_check CHECK (skipped IN ('', 'waiting', 'busy', 'hours', 'empty', 'disabled', 'gone'));
ALTER TABLE service_keys DROP COLUMN told_at;
