-- name: TriggerAdd :execrows
-- No row: the owner has one of that name already.
INSERT INTO triggers (id, user_id, name, source, secret, session_key, answer_in, template, one_shot, per_minute, made_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (user_id, name) DO NOTHING;

-- name: TriggerCount :one
SELECT count(*) FROM triggers WHERE user_id = $1;

-- name: TriggerOwnerLock :exec
-- Whoever adds a trigger counts alone. Rows that name the user, such as that of the command itself, may be written meanwhile.
SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE;

-- name: TriggerGet :one
SELECT * FROM triggers WHERE id = $1;

-- name: TriggerLock :one
SELECT * FROM triggers WHERE id = $1 FOR UPDATE;

-- name: TriggerFind :one
-- By id or name.
SELECT * FROM triggers WHERE user_id = sqlc.arg(user_id) AND (id = sqlc.arg(word) OR name = sqlc.arg(word)) ORDER BY id = sqlc.arg(word) DESC LIMIT 1;

-- name: TriggerList :many
SELECT sqlc.embed(t), (SELECT count(*) FROM trigger_deliveries d WHERE d.trigger_id = t.id)::int AS fires
FROM triggers t WHERE t.user_id = $1 ORDER BY t.name, t.id;

-- name: TriggerReplace :execrows
UPDATE triggers
SET name = sqlc.arg(name), session_key = sqlc.arg(session_key), answer_in = sqlc.arg(answer_in), template = sqlc.arg(template),
    one_shot = sqlc.arg(one_shot), per_minute = sqlc.arg(per_minute), enabled = sqlc.arg(enabled)
WHERE id = sqlc.arg(id) AND user_id = sqlc.arg(user_id);

-- name: TriggerNameTaken :one
SELECT EXISTS (SELECT 1 FROM triggers WHERE user_id = $1 AND name = $2 AND id <> $3);

-- name: TriggerSecret :execrows
-- It names enabled, too: that is how the trigger of changes tells it from a secret that is sealed anew.
UPDATE triggers SET secret = $3, enabled = enabled WHERE id = $1 AND user_id = $2;

-- name: TriggerDelete :execrows
DELETE FROM triggers WHERE id = $1 AND user_id = $2;

-- name: TriggerRefused :exec
UPDATE triggers SET refused_at = now(), refused = sqlc.arg(why)
WHERE id = sqlc.arg(id) AND (refused_at IS NULL OR refused_at < now() - interval '1 second');

-- name: TriggerFired :exec
UPDATE triggers SET fired_at = now(), enabled = enabled AND NOT one_shot WHERE id = $1;

-- name: TriggerRepeated :execrows
-- No row: this delivery is new.
UPDATE trigger_deliveries SET repeats = repeats + 1 WHERE trigger_id = $1 AND key = $2;

-- name: TriggerNth :one
-- How long ago the n-th newest delivery came, in milliseconds.
SELECT (extract(epoch FROM clock_timestamp() - received_at) * 1000)::bigint AS ago
FROM trigger_deliveries WHERE trigger_id = sqlc.arg(trigger_id)
ORDER BY received_at DESC
OFFSET sqlc.arg(n)::int - 1 LIMIT 1;

-- name: TriggerDelivered :exec
INSERT INTO trigger_deliveries (trigger_id, key, event, bytes, note, inbox_id) VALUES ($1, $2, $3, $4, $5, $6);

-- name: TriggerDeliveries :many
-- The newest deliveries of a trigger with what became of them.
SELECT d.key, d.received_at, d.event, d.bytes, d.note, d.repeats,
       coalesce(i.session_key, '')::text AS session_key, coalesce(i.turn_id, '')::text AS turn_id, coalesce(i.outcome, '')::text AS outcome,
       coalesce(t.state, '')::text AS state, t.ended_at
FROM trigger_deliveries d
LEFT JOIN inbox i ON i.id = d.inbox_id
LEFT JOIN turns t ON t.id = i.turn_id
WHERE d.trigger_id = sqlc.arg(trigger_id)
ORDER BY d.received_at DESC
LIMIT sqlc.arg(n);

-- name: TriggerSessionOwner :one
-- No row: the conversation was deleted.
SELECT user_id FROM sessions WHERE key = $1;
