-- name: DeletionBelow :many
-- Promises that some of those who belong to a user are deleted, too: the services of an administrator, the consumers of a service. They are
-- shut out at once.
WITH below AS (
    SELECT u.id, u.name FROM users u
    WHERE u.owner_id = sqlc.arg(id)::bigint AND NOT EXISTS (SELECT 1 FROM deletions d WHERE d.user_id = u.id)
    ORDER BY u.id LIMIT sqlc.arg(most)
), shut AS (
    UPDATE users SET disabled_at = coalesce(disabled_at, now()), halted_at = coalesce(halted_at, now()) FROM below WHERE users.id = below.id
), ended AS (
    UPDATE services SET deleted_at = coalesce(deleted_at, now()), published = false FROM below WHERE services.user_id = below.id
)
INSERT INTO deletions (user_id, name, conversations)
SELECT b.id, b.name, (SELECT count(*) FROM sessions s WHERE s.user_id = b.id AND s.chat_type <> 'subagent') FROM below b
ON CONFLICT (user_id) DO NOTHING
RETURNING user_id;

-- name: DeletionBelowLeft :one
SELECT count(*)::int FROM users u WHERE u.owner_id = sqlc.arg(id)::bigint;
