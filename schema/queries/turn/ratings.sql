-- name: RatingSet :execrows
-- Rates a reply of a conversation, and notes that the rating is due at the targets of traces. No row: the conversation has no such reply.
WITH rated AS (
    INSERT INTO reply_ratings AS r (message_id, user_id, session_key, helpful, comment)
    SELECT m.id, sqlc.arg(user_id), m.session_key, sqlc.arg(helpful), sqlc.arg(comment)
    FROM messages m WHERE m.id = sqlc.arg(message_id) AND m.session_key = sqlc.arg(session_key) AND m.role = 'assistant'
    ON CONFLICT (message_id, user_id) DO UPDATE SET helpful = EXCLUDED.helpful, comment = EXCLUDED.comment, rated_at = now()
    RETURNING r.message_id
), score_due AS (
    INSERT INTO trace_exports AS e (target, kind, turn_id, message_id, user_id)
    SELECT w.name, 'score', m.turn_id, m.id, sqlc.arg(user_id)
    FROM (SELECT v.name FROM unnest(sqlc.arg(traced)::text[]) AS v(name) WHERE NOT EXISTS (SELECT 1 FROM trace_targets g WHERE g.name = v.name)
          UNION SELECT g.name FROM trace_targets g WHERE g.enabled) w, messages m
    WHERE w.name = 'langfuse' AND m.id = sqlc.arg(message_id) AND m.turn_id IS NOT NULL AND EXISTS (SELECT 1 FROM rated)
    ON CONFLICT (target, kind, turn_id, message_id, user_id) DO UPDATE SET generation = e.generation + 1, due_at = least(e.due_at, now())
)
SELECT message_id FROM rated;

-- name: RatingDelete :execrows
-- Takes a rating back, also at the targets of traces.
WITH removed AS (
    DELETE FROM reply_ratings d WHERE d.message_id = sqlc.arg(message_id) AND d.user_id = sqlc.arg(user_id) AND d.session_key = sqlc.arg(session_key)
    RETURNING d.message_id
), score_due AS (
    INSERT INTO trace_exports AS e (target, kind, turn_id, message_id, user_id)
    SELECT w.name, 'score', m.turn_id, m.id, sqlc.arg(user_id)
    FROM (SELECT v.name FROM unnest(sqlc.arg(traced)::text[]) AS v(name) WHERE NOT EXISTS (SELECT 1 FROM trace_targets g WHERE g.name = v.name)
          UNION SELECT g.name FROM trace_targets g WHERE g.enabled) w, messages m
    WHERE w.name = 'langfuse' AND m.id = sqlc.arg(message_id) AND m.turn_id IS NOT NULL AND EXISTS (SELECT 1 FROM removed)
    ON CONFLICT (target, kind, turn_id, message_id, user_id) DO UPDATE SET generation = e.generation + 1, due_at = least(e.due_at, now())
)
SELECT message_id FROM removed;

-- name: RatingList :many
-- Those of a user in a conversation.
SELECT message_id, helpful, comment, rated_at FROM reply_ratings WHERE session_key = sqlc.arg(session_key) AND user_id = sqlc.arg(user_id) ORDER BY message_id;

-- name: RatingRecent :many
-- The newest of all users.
SELECT r.message_id, r.session_key, u.name AS user_name, r.helpful, r.comment, r.rated_at
FROM reply_ratings r JOIN users u ON u.id = r.user_id
ORDER BY r.rated_at DESC, r.message_id DESC LIMIT $1;
