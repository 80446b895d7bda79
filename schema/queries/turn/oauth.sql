-- name: OAuthAccountMeet :exec
-- Whoever connects an account of the owner of a session and whoever asks there for one wait for each other: one of them sees what the other did.
SELECT pg_advisory_xact_lock(hashtextextended('oauth account ' || sqlc.arg(user_id)::bigint || ' ' || sqlc.arg(provider)::text, 0));

-- name: OAuthCallsWaiting :many
-- The calls of a person that wait for an account at a provider, with no more than was asked for; the oldest first.
SELECT c.id, c.session_key, u.name AS person, p.name AS provider
FROM tool_calls c JOIN sessions s ON s.key = c.session_key JOIN users u ON u.id = s.user_id JOIN oauth_providers p ON p.id = sqlc.arg(provider)
WHERE c.approval = 'open' AND s.user_id = sqlc.arg(user_id) AND c.questions -> 0 -> 'connect' ->> 'provider' = p.id
  AND sqlc.arg(asked)::text[] @> ARRAY(SELECT jsonb_array_elements_text(coalesce(c.questions -> 0 -> 'connect' -> 'scopes', '[]')))
ORDER BY c.asked_at, c.id;

-- name: OAuthAccountOfCall :many
-- The account that a call would ask for, where it is connected and all that the call wants was asked for.
SELECT u.id AS user_id, u.name AS person, p.name AS provider, a.label
FROM tool_calls c JOIN sessions s ON s.key = c.session_key JOIN users u ON u.id = s.user_id
  JOIN oauth_providers p ON p.id = sqlc.arg(provider) JOIN oauth_accounts a ON a.provider = p.id AND a.user_id = u.id
WHERE c.id = sqlc.arg(call) AND p.enabled AND a.problem = '' AND a.asked @> sqlc.arg(scopes)::text[];
