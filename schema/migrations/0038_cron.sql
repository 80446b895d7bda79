-- +goose Up
ALTER TABLE cron_jobs ADD COLUMN checks int NOT NULL DEFAULT 0;
COMMENT ON COLUMN cron_jobs.checks IS 'How often relays have looked after the job since it ran or was changed last: each time they wait twice as long, up to ten minutes.';
DROP INDEX cron_jobs_heartbeat;
CREATE UNIQUE INDEX cron_jobs_heartbeat ON cron_jobs (heartbeat, user_id) WHERE heartbeat <> '' AND state <> 'deleted';
CREATE INDEX cron_jobs_over ON cron_jobs (user_id, checked_at DESC) WHERE state = 'done';

-- +goose Down
DROP INDEX cron_jobs_over, cron_jobs_heartbeat;
-- Before, an agent had one heartbeat: the first one stays.
UPDATE cron_jobs j SET state = 'deleted', next_at = NULL, due_at = NULL
WHERE j.heartbeat <> '' AND j.state <> 'deleted' AND EXISTS (
    SELECT 1 FROM cron_jobs o WHERE o.heartbeat = j.heartbeat AND o.state <> 'deleted' AND (o.created_at, o.id) < (j.created_at, j.id));
CREATE UNIQUE INDEX cron_jobs_heartbeat ON cron_jobs (heartbeat) WHERE heartbeat <> '' AND state <> 'deleted';
ALTER TABLE cron_jobs DROP COLUMN checks;
