-- name: IdentityUser :one
SELECT u.* FROM identities i JOIN users u ON u.id = i.user_id
WHERE i.kind = $1 AND i.channel = $2 AND i.account = $3 AND i.peer = $4;

-- name: IdentityAdd :exec
INSERT INTO identities (kind, channel, account, peer, user_id, union_id, member_id) VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: IdentityAppoint :exec
-- Says by which chat of the settings somebody is an administrator. At other bots they are not: what would show there who they are goes.
UPDATE identities SET appointed = $4, union_id = '', member_id = ''
WHERE kind = 'person' AND channel = $1 AND account = $2 AND peer = $3;

-- name: IdentityDepose :execrows
DELETE FROM identities WHERE appointed <> '' AND appointed <> $1;

-- name: IdentityMove :execrows
UPDATE identities SET user_id = sqlc.arg(new_user_id)::bigint
WHERE kind = 'person' AND channel = $1 AND account = $2 AND peer = $3 AND user_id = $4;

-- name: IdentityList :many
SELECT channel, account, peer FROM identities WHERE user_id = $1 AND kind = 'person' ORDER BY channel, account, peer;

-- name: LinkCodePrune :exec
-- Codes that have expired, and the earlier ones of a user: one at a time.
DELETE FROM link_codes WHERE expires_at <= now() OR user_id = $1;

-- name: LinkCodeAdd :exec
INSERT INTO link_codes (code_hash, user_id, session_key, expires_at)
VALUES ($1, $2, nullif(sqlc.arg(session)::text, ''), now() + make_interval(secs => sqlc.arg(seconds)::float8));

-- name: LinkCodeTake :one
DELETE FROM link_codes WHERE code_hash = $1 AND expires_at > now()
RETURNING user_id, coalesce(session_key, '')::text AS session_key;

-- name: LinkMoveSessions :many
-- The direct conversations that a user has as one peer.
UPDATE sessions SET user_id = sqlc.arg(new_user_id)::bigint
WHERE user_id = $1 AND channel = sqlc.arg(channel) AND chat_type = 'direct'
  AND origin ->> 'from' = sqlc.arg(peer)::text AND coalesce(origin ->> 'account_id', '') = sqlc.arg(account)::text
RETURNING key;

-- name: LinkMoveSubagents :many
-- The subagents of conversations go where those go.
UPDATE sessions SET user_id = sqlc.arg(new_user_id)::bigint
WHERE sessions.key IN (SELECT a.session_key FROM subagents a WHERE a.root = ANY(sqlc.arg(roots)::text[]))
RETURNING sessions.key;

-- name: LinkMoveInbox :exec
-- The messages of the direct conversations that a user has as one peer, so that a repeated delivery is recognized after
-- the sender has another user.
UPDATE inbox SET user_id = sqlc.arg(new_user_id)::bigint
WHERE inbox.user_id = $1 AND inbox.channel = sqlc.arg(channel) AND inbox.account = sqlc.arg(account)
  AND inbox.session_key IN (
      SELECT s.key FROM sessions s
      WHERE s.user_id = $1 AND s.channel = sqlc.arg(channel) AND s.chat_type = 'direct'
        AND s.origin ->> 'from' = sqlc.arg(peer)::text AND coalesce(s.origin ->> 'account_id', '') = sqlc.arg(account)::text
  )
  AND NOT EXISTS (
      SELECT 1 FROM inbox o
      WHERE o.channel = inbox.channel AND o.account = inbox.account AND o.user_id = sqlc.arg(new_user_id)::bigint
        AND o.platform_id = inbox.platform_id
  );

-- name: InboxSetUser :exec
UPDATE inbox SET user_id = $2 WHERE id = $1;
