-- name: ServiceHandoversOf :many
-- Gives back what somebody has taken, and tells them nothing more: they are no administrator any more. Those are returned that they had.
WITH quiet AS (
    UPDATE service_conversations q SET said_from = NULL, said_by = NULL WHERE q.said_by = sqlc.arg(id)::bigint AND q.taken_by IS DISTINCT FROM sqlc.arg(id)::bigint
)
UPDATE service_conversations SET taken_by = NULL, taken_at = NULL, said_from = NULL, said_by = NULL
FROM sessions s WHERE service_conversations.taken_by = sqlc.arg(id)::bigint AND s.key = service_conversations.session_key
RETURNING service_conversations.session_key, s.channel;
