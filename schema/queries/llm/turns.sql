-- name: TurnTotals :many
-- What a turn took, by model: its steps with an answer, the newest message of it, and whose conversation it is. untitled: a model may
-- give that its title, and the person wants it.
SELECT m.model, count(*)::int AS steps, sum(m.prompt_tokens)::bigint AS prompt_tokens, sum(m.cached_tokens)::bigint AS cached_tokens,
       sum(m.completion_tokens)::bigint AS completion_tokens, max(m.id)::bigint AS message, min(s.user_id)::bigint AS owner,
       bool_or(s.title_open AND NOT EXISTS (SELECT 1 FROM user_settings u WHERE u.user_id = s.user_id AND u.key = 'titles' AND u.value = 'off'))::boolean AS untitled
FROM messages m JOIN sessions s ON s.key = m.session_key
WHERE m.turn_id = $1 AND m.role = 'assistant'
GROUP BY m.model
ORDER BY m.model;
