-- name: TurnRunning :one
SELECT id FROM turns WHERE session_key = $1 AND state = 'running';
