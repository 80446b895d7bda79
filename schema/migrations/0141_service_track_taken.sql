-- +goose Up
CREATE VIEW cron_runs_in_line AS
SELECT r.id, r.job_id FROM cron_runs r
WHERE r.lane = 'queued' AND NOT EXISTS (SELECT 1 FROM service_conversations c WHERE c.session_key = r.session_key AND c.taken_by IS NOT NULL);
COMMENT ON VIEW cron_runs_in_line IS 'Runs that wait for a place in which they could run: those of a conversation that a person has taken wait until it is given back.';

-- +goose Down
DROP VIEW cron_runs_in_line;
