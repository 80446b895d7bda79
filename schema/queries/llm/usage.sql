-- name: UsageBook :exec
-- Adds what a provider counted outside of a step.
INSERT INTO user_token_usage AS u (user_id, day, model, session_key, calls, prompt_tokens, cached_tokens, completion_tokens)
SELECT s.user_id, (now() AT TIME ZONE 'UTC')::date, sqlc.arg(model), s.key, sqlc.arg(calls)::int,
       sqlc.arg(prompt_tokens)::bigint, sqlc.arg(cached_tokens)::bigint, sqlc.arg(completion_tokens)::bigint
FROM sessions s
WHERE s.key = sqlc.arg(session_key)
ON CONFLICT (user_id, day, model, session_key) DO UPDATE SET
    calls             = u.calls + EXCLUDED.calls,
    prompt_tokens     = u.prompt_tokens + EXCLUDED.prompt_tokens,
    cached_tokens     = u.cached_tokens + EXCLUDED.cached_tokens,
    completion_tokens = u.completion_tokens + EXCLUDED.completion_tokens;

-- name: UsageByDay :many
SELECT to_char(day, 'YYYY-MM-DD')::text AS day, model, sum(calls)::bigint AS calls, sum(prompt_tokens)::bigint AS prompt_tokens,
       sum(cached_tokens)::bigint AS cached_tokens, sum(completion_tokens)::bigint AS completion_tokens
FROM user_token_usage u
WHERE user_id = sqlc.arg(user_id) AND u.day > (now() AT TIME ZONE 'UTC')::date - sqlc.arg(days)::int
GROUP BY u.day, model
ORDER BY u.day DESC, model;

-- name: UsageBySession :many
-- Sessions by what they used, with their titles; without one where the session was deleted.
SELECT u.session_key, coalesce(s.title, '')::text AS title, (s.key IS NULL)::boolean AS deleted, u.model, sum(u.calls)::bigint AS calls,
       sum(u.prompt_tokens)::bigint AS prompt_tokens, sum(u.cached_tokens)::bigint AS cached_tokens,
       sum(u.completion_tokens)::bigint AS completion_tokens
FROM user_token_usage u
LEFT JOIN sessions s ON s.key = u.session_key
WHERE u.user_id = sqlc.arg(user_id) AND u.day > (now() AT TIME ZONE 'UTC')::date - sqlc.arg(days)::int
GROUP BY u.session_key, s.key, s.title, u.model
ORDER BY u.session_key, u.model;

-- name: UsageOfSession :many
SELECT model, sum(calls)::bigint AS calls, sum(prompt_tokens)::bigint AS prompt_tokens,
       sum(cached_tokens)::bigint AS cached_tokens, sum(completion_tokens)::bigint AS completion_tokens
FROM user_token_usage
WHERE user_id = $1 AND session_key = $2
GROUP BY model
ORDER BY model;
