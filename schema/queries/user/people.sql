-- name: UserCreate :one
INSERT INTO users (name, role) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET name = EXCLUDED.name
RETURNING *;

-- name: UserGet :one
SELECT * FROM users WHERE id = $1;

-- name: UserByName :one
SELECT * FROM users WHERE name = $1 AND kind = 'person';

-- name: UserFirstAdmin :one
SELECT * FROM users WHERE role = 'admin' AND kind = 'person' AND disabled_at IS NULL ORDER BY id LIMIT 1;

-- name: UserSetPassword :exec
UPDATE users SET password_hash = $2 WHERE id = $1;

-- name: LinkCodeEnd :exec
-- Codes that link an identity to the account of a user.
DELETE FROM link_codes WHERE user_id = $1;

-- name: UserAnyPassword :one
SELECT EXISTS (SELECT 1 FROM users WHERE password_hash <> '');

-- name: UserSignInUse :one
-- Whether somebody has a password or a login, and whether there is a row of a sign-in link.
SELECT (EXISTS (SELECT 1 FROM users WHERE password_hash <> '') OR EXISTS (SELECT 1 FROM web_sessions))::boolean AS signed_in,
       EXISTS (SELECT 1 FROM login_links) AS links;

-- name: LoginLinkCreate :execrows
-- None: there was one of that token.
INSERT INTO login_links (token_hash, user_id, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- name: LoginLinkUse :one
UPDATE login_links SET used_at = now()
WHERE token_hash = $1 AND used_at IS NULL AND expires_at > now()
  AND EXISTS (SELECT 1 FROM users u WHERE u.id = login_links.user_id AND u.kind = 'person' AND u.disabled_at IS NULL)
RETURNING user_id;

-- name: LoginLinkUser :one
-- Whom a link would sign in.
SELECT u.* FROM login_links l JOIN users u ON u.id = l.user_id
WHERE l.token_hash = $1 AND l.used_at IS NULL AND l.expires_at > now() AND u.kind = 'person' AND u.disabled_at IS NULL;

-- name: LoginLinkEnd :exec
-- All links of a user that were not used. Their rows stay until LoginLinkPrune, as those of used ones.
UPDATE login_links SET used_at = now() WHERE user_id = $1 AND used_at IS NULL;

-- name: LoginLinkPrune :exec
DELETE FROM login_links WHERE expires_at < now() - interval '1 day';

-- name: WebSessionCreate :exec
INSERT INTO web_sessions (token_hash, user_id, expires_at) VALUES ($1, $2, $3);

-- name: WebSessionUser :one
SELECT u.*, w.last_seen_at
FROM web_sessions w JOIN users u ON u.id = w.user_id
WHERE w.token_hash = $1 AND w.expires_at > now() AND u.kind = 'person' AND u.disabled_at IS NULL;

-- name: WebSessionTouch :exec
UPDATE web_sessions SET last_seen_at = now(), expires_at = $2 WHERE token_hash = $1;

-- name: WebSessionDelete :execrows
DELETE FROM web_sessions WHERE token_hash = $1;

-- name: WebSessionDeleteOthers :exec
DELETE FROM web_sessions WHERE user_id = $1 AND token_hash <> $2;

-- name: WebSessionPrune :exec
DELETE FROM web_sessions WHERE expires_at < now();

-- name: TokenCreate :one
INSERT INTO api_tokens (user_id, name, token_hash, scope, expires_at) VALUES ($1, $2, $3, $4, $5) RETURNING id;

-- name: TokenUser :one
SELECT u.*, t.id AS token_id, t.last_used_at, t.scope
FROM api_tokens t JOIN users u ON u.id = t.user_id
WHERE t.token_hash = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()) AND u.kind = 'person' AND u.disabled_at IS NULL;

-- name: TokenTouch :exec
UPDATE api_tokens SET last_used_at = now() WHERE id = $1;

-- name: TokenList :many
SELECT id, name, created_at, last_used_at, scope, expires_at FROM api_tokens
WHERE user_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
ORDER BY id;

-- name: TokenRevoke :execrows
UPDATE api_tokens SET revoked_at = now()
WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL;

-- name: TokenRevokeOthers :exec
-- All of a user but one.
UPDATE api_tokens SET revoked_at = now() WHERE user_id = $1 AND revoked_at IS NULL AND token_hash <> $2;

-- name: TokenRevokeOlder :exec
-- All of a name but the newest few.
UPDATE api_tokens SET revoked_at = now()
WHERE api_tokens.user_id = $1 AND api_tokens.name = $2 AND api_tokens.revoked_at IS NULL
  AND api_tokens.id NOT IN (SELECT t.id FROM api_tokens t WHERE t.user_id = $1 AND t.name = $2 ORDER BY t.id DESC LIMIT sqlc.arg(keep));

-- name: UserLock :exec
-- Makes those who write about one person wait for each other.
SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE;
