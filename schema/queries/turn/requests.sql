-- name: StepRequest :one
-- What the request of a step was made from, and what its provider counted. The reset that held is the newest that was made before
-- it and that no rewind had undone by then.
SELECT st.control_upto, st.compaction_id, st.message_upto, st.reminder, st.fill, st.pruned_upto, st.pictures_from, st.pictures_skipped, st.request_hash, st.request_bytes, st.estimated_tokens,
       st.finish, t.session_key, greatest(c.message_id, (
           SELECT rs.message_id FROM controls rs
           WHERE rs.session_key = t.session_key AND rs.kind = 'reset' AND rs.id <= st.control_upto
             AND (rs.away_by IS NULL OR rs.away_by > st.control_upto) AND NOT rs.spells @> st.control_upto
           ORDER BY rs.id DESC LIMIT 1
       ), 0)::bigint AS upto,
       coalesce(p.body, '')::text AS static, coalesce(sp.body, '')::text AS system,
       coalesce(m.model, '')::text AS model, coalesce(m.prompt_tokens, 0)::int AS prompt_tokens,
       coalesce(m.cached_tokens, 0)::int AS cached_tokens, coalesce(m.completion_tokens, 0)::int AS completion_tokens
FROM steps st
JOIN turns t ON t.id = st.turn_id
LEFT JOIN controls c ON c.id = st.compaction_id
LEFT JOIN prompts p ON p.hash = st.prompt_hash
LEFT JOIN prompts sp ON sp.hash = t.system_hash
LEFT JOIN messages m ON m.turn_id = st.turn_id AND m.step = st.step AND m.role = 'assistant'
WHERE st.turn_id = sqlc.arg(turn_id) AND st.step = sqlc.arg(step);
