-- name: LinkUser :one
-- The user of a name of identityLinks, and whether an id has written as this user.
SELECT sqlc.embed(u), (sqlc.arg(id)::text = ANY(i.link_ids))::boolean AS wrote
FROM identities i JOIN users u ON u.id = i.user_id
WHERE i.kind = 'link' AND i.channel = '' AND i.account = '' AND i.peer = sqlc.arg(name)::text;

-- name: LinkPolicyLock :exec
-- No version of the policy is added until the end of the transaction.
LOCK TABLE policies IN SHARE MODE;

-- name: LinkListed :one
-- Whether the newest policy lists an id under a name.
SELECT coalesce((
    SELECT p.body #> ARRAY['session', 'identityLinks', sqlc.arg(name)::text] ? sqlc.arg(id)::text
    FROM policies p ORDER BY p.id DESC LIMIT 1), false)::boolean;

-- name: LinkWrote :exec
-- An id has written as the user of a name.
UPDATE identities SET link_ids = array_append(link_ids, sqlc.arg(id)::text)
WHERE kind = 'link' AND channel = '' AND account = '' AND peer = sqlc.arg(name)::text AND NOT sqlc.arg(id)::text = ANY(link_ids);

-- name: LinkList :many
-- Names of identityLinks with a user. former are the ids of it that had this user before the policy linked them.
SELECT i.peer AS name, i.link_ids, i.user_id, u.name AS user_name,
    ARRAY(SELECT o.channel || ':' || o.peer FROM identities o
          WHERE o.user_id = i.user_id AND o.kind = 'person' AND o.channel || ':' || o.peer = ANY(i.link_ids) ORDER BY 1)::text[] AS former,
    (SELECT count(*) FROM sessions s WHERE s.user_id = i.user_id AND s.chat_type <> 'subagent')::int AS conversations
FROM identities i JOIN users u ON u.id = i.user_id
WHERE i.kind = 'link'
ORDER BY i.peer;

-- name: LinkSetIDs :exec
UPDATE identities SET link_ids = sqlc.arg(ids)::text[] WHERE kind = 'link' AND peer = sqlc.arg(name)::text;

-- name: LinkTransfer :exec
-- Shuts everybody out of an account but the ids that the policy lists: identities, and of an account without a password
-- and without single sign-on also sign-ins, tokens, invitations and runners.
WITH account AS (
    SELECT u.id FROM users u
    WHERE u.id = sqlc.arg(user_id) AND u.password_hash = ''
      AND NOT EXISTS (SELECT 1 FROM identities o WHERE o.user_id = u.id AND o.kind = 'person' AND o.channel = 'oidc')
), logins AS (
    DELETE FROM web_sessions w USING account a WHERE w.user_id = a.id
), links AS (
    DELETE FROM login_links l USING account a WHERE l.user_id = a.id
), codes AS (
    DELETE FROM link_codes c WHERE c.user_id = sqlc.arg(user_id)
), tokens AS (
    UPDATE api_tokens t SET revoked_at = now() FROM account a WHERE t.user_id = a.id AND t.revoked_at IS NULL
), guests AS (
    UPDATE invites v SET expires_at = now() FROM account a WHERE v.made_by = a.id AND v.expires_at > now()
), machines AS (
    UPDATE runners r SET revoked_at = now() FROM account a WHERE r.user_id = a.id AND r.revoked_at IS NULL AND r.name NOT IN ('local', '__docker__')
)
DELETE FROM identities i
WHERE i.user_id = sqlc.arg(user_id) AND i.kind = 'person' AND NOT i.channel || ':' || i.peer = ANY(sqlc.arg(listed)::text[])
  AND (i.channel || ':' || i.peer = ANY(sqlc.arg(former)::text[]) OR EXISTS (SELECT 1 FROM account));

-- name: LinkDelete :execrows
-- An account without any identity or sign-in is marked as met, so that a later link of the same name gets another account.
WITH gone AS (
    DELETE FROM identities i WHERE i.kind = 'link' AND i.peer = sqlc.arg(name)::text RETURNING i.user_id
), apart AS (
    UPDATE users u SET met = true FROM gone g
    WHERE u.id = g.user_id AND u.password_hash = ''
      AND NOT EXISTS (SELECT 1 FROM identities o WHERE o.user_id = u.id AND (o.kind, o.peer) <> ('link', sqlc.arg(name)::text))
      AND NOT EXISTS (SELECT 1 FROM web_sessions w WHERE w.user_id = u.id AND w.expires_at > now())
      AND NOT EXISTS (SELECT 1 FROM login_links l WHERE l.user_id = u.id AND l.used_at IS NULL AND l.expires_at > now())
      AND NOT EXISTS (SELECT 1 FROM api_tokens a WHERE a.user_id = u.id AND a.revoked_at IS NULL)
)
SELECT 1 FROM gone;

-- name: LinkAccounts :many
-- Accounts that an operator made, under names of identityLinks that have not been used.
SELECT u.name, u.role, (SELECT count(*) FROM sessions s WHERE s.user_id = u.id AND s.chat_type <> 'subagent')::int AS conversations
FROM users u
WHERE u.name = ANY(sqlc.arg(names)::text[]) AND u.kind = 'person' AND NOT u.met
  AND NOT EXISTS (SELECT 1 FROM identities i WHERE i.kind = 'link' AND i.peer = u.name)
ORDER BY u.name;

-- name: IdentityLock :one
-- An identity of a user. alone says that the user has no other and cannot sign in.
SELECT i.union_id, i.member_id, i.appointed,
    (NOT EXISTS (SELECT 1 FROM identities o WHERE o.user_id = i.user_id AND (o.kind, o.channel, o.account, o.peer) <> (i.kind, i.channel, i.account, i.peer))
     AND NOT EXISTS (SELECT 1 FROM web_sessions w WHERE w.user_id = i.user_id AND w.expires_at > now())
     AND NOT EXISTS (SELECT 1 FROM login_links l WHERE l.user_id = i.user_id AND l.used_at IS NULL AND l.expires_at > now())
     AND NOT EXISTS (SELECT 1 FROM api_tokens a WHERE a.user_id = i.user_id AND a.revoked_at IS NULL)
     AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = i.user_id AND u.password_hash <> ''))::boolean AS alone
FROM identities i
WHERE i.kind = 'person' AND i.channel = $1 AND i.account = $2 AND i.peer = $3 AND i.user_id = $4
FOR UPDATE;

-- name: IdentityDelete :exec
DELETE FROM identities WHERE kind = 'person' AND channel = $1 AND account = $2 AND peer = $3 AND user_id = $4;
