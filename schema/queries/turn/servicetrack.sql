-- name: TrackRunIn :one
-- Whether a run of the track goes on in a conversation: its turn has ended, and somebody waits for its place.
SELECT EXISTS (SELECT 1 FROM cron_runs r WHERE r.session_key = $1 AND r.lane = 'posted');
