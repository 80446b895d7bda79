-- name: IdentityRecognize :one
-- Somebody by their id at a bot, else by the one that they have under all bots of its owner.
SELECT sqlc.embed(u), (i.account = sqlc.arg(account) AND i.peer = sqlc.arg(peer))::boolean AS here, i.union_id, i.member_id
FROM identities i JOIN users u ON u.id = i.user_id
WHERE i.kind = 'person' AND i.channel = sqlc.arg(channel)
  AND (i.account = sqlc.arg(account) AND i.peer = sqlc.arg(peer) OR sqlc.arg(union_id)::text <> '' AND i.union_id = sqlc.arg(union_id)::text)
ORDER BY here DESC, i.created_at, i.account, i.peer LIMIT 1;

-- name: IdentityNote :exec
-- What is not known any more stays as it was.
UPDATE identities SET union_id = coalesce(nullif(sqlc.arg(union_id)::text, ''), union_id), member_id = coalesce(nullif(sqlc.arg(member_id)::text, ''), member_id)
WHERE kind = 'person' AND channel = $1 AND account = $2 AND peer = $3 AND appointed = '';

-- name: UserAdd :one
-- No row: another user has the name, compared without case.
INSERT INTO users (name, role, kind, met)
SELECT sqlc.arg(name)::text, 'member', sqlc.arg(kind)::text, sqlc.arg(met)::boolean
WHERE NOT EXISTS (SELECT 1 FROM users WHERE lower(users.name) = lower(sqlc.arg(name)::text))
ON CONFLICT (name) DO NOTHING
RETURNING *;

-- name: UserOfOperator :one
-- A person whose name was given by an operator and not by themselves.
SELECT * FROM users WHERE name = $1 AND kind = 'person' AND NOT met;

-- name: PairingPrune :exec
DELETE FROM pairings WHERE channel = $1 AND account = $2 AND expires_at <= now();

-- name: PairingOf :one
SELECT * FROM pairings WHERE channel = $1 AND account = $2 AND peer = $3;

-- name: PairingCount :one
SELECT count(*)::int FROM pairings WHERE channel = $1 AND account = $2;

-- name: PairingAdd :exec
INSERT INTO pairings (code, channel, account, peer, name, expires_at)
VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => sqlc.arg(seconds)::float8));

-- name: PairingTake :one
DELETE FROM pairings WHERE code = $1 AND expires_at > now() RETURNING *;

-- name: PairingList :many
SELECT * FROM pairings WHERE expires_at > now() ORDER BY created_at, code;

-- name: GrantAdd :exec
INSERT INTO access_grants (channel, account, peer, name, granted_by) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (channel, account, peer) DO NOTHING;

-- name: GrantOf :one
SELECT (told_at IS NOT NULL)::boolean AS told FROM access_grants WHERE channel = $1 AND account = $2 AND peer = $3;

-- name: GrantTell :execrows
UPDATE access_grants SET told_at = now() WHERE channel = $1 AND account = $2 AND peer = $3 AND told_at IS NULL;

-- name: GrantList :many
SELECT g.channel, g.account, g.peer, g.name, g.created_at, coalesce(u.name, '')::text AS granted_by
FROM access_grants g LEFT JOIN users u ON u.id = g.granted_by
ORDER BY g.created_at, g.channel, g.account, g.peer;

-- name: GrantDelete :execrows
DELETE FROM access_grants WHERE channel = $1 AND account = $2 AND peer = $3;

-- name: SessionOwner :one
SELECT u.* FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.key = $1;
