-- name: TriggerLockOf :exec
-- Whoever moves the triggers of a user holds them before their conversations, as calls do.
SELECT id FROM triggers WHERE user_id = $1 ORDER BY id FOR UPDATE;

-- name: TriggerMove :exec
-- The triggers that call a conversation which is another user's now, and those that answer in one, go where it went, with their own
-- conversations and the subagents of those. Where that user has one of the name, the one that comes gets another.
WITH moved AS (
    UPDATE triggers t
    SET user_id = sqlc.arg(new_user_id)::bigint,
        name = CASE WHEN EXISTS (SELECT 1 FROM triggers o WHERE o.user_id = sqlc.arg(new_user_id)::bigint AND o.name = t.name)
                    THEN left(t.name, 51) || ' ' || left(t.id, 8) ELSE t.name END
    FROM sessions s
    WHERE t.user_id = sqlc.arg(user_id) AND s.user_id = sqlc.arg(new_user_id)::bigint
      AND s.key = CASE WHEN t.session_key = 'hook:' || t.id THEN t.answer_in ELSE t.session_key END
    RETURNING t.id
)
UPDATE sessions SET user_id = sqlc.arg(new_user_id)::bigint
WHERE sessions.key IN (SELECT 'hook:' || moved.id FROM moved)
   OR sessions.key IN (SELECT a.session_key FROM subagents a WHERE a.root IN (SELECT 'hook:' || moved.id FROM moved));
