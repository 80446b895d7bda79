-- name: AccountList :many
-- People, with what an administrator asks about them. Groups are no people.
SELECT u.id, u.name, u.role, u.created_at, u.disabled_at, coalesce(d.name, '')::text AS disabled_by, (u.password_hash <> '')::boolean AS has_password,
       coalesce(greatest(
           (SELECT max(w.last_seen_at) FROM web_sessions w WHERE w.user_id = u.id),
           (SELECT max(t.last_used_at) FROM api_tokens t WHERE t.user_id = u.id),
           (SELECT max(s.last_interaction_at) FROM sessions s WHERE s.user_id = u.id)
       ), 'epoch')::timestamptz AS seen_at,
       (SELECT count(*) FROM sessions s WHERE s.user_id = u.id AND s.chat_type <> 'subagent')::int AS conversations,
       coalesce((SELECT array_agg(DISTINCT i.channel ORDER BY i.channel) FROM identities i WHERE i.user_id = u.id AND i.kind = 'person'), '{}')::text[] AS channels,
       g.asked_at AS deleted_at, coalesce(g.conversations, 0)::int AS had
FROM users u LEFT JOIN users d ON d.id = u.disabled_by LEFT JOIN deletions g ON g.user_id = u.id
WHERE u.kind = 'person'
ORDER BY u.disabled_at IS NOT NULL, lower(u.name), u.id;

-- name: AccountLock :one
-- Holds a person until the end of the transaction.
SELECT * FROM users WHERE id = $1 AND kind = 'person' FOR NO KEY UPDATE;

-- name: AccountOtherAdmin :one
-- Whether there is another administrator.
SELECT EXISTS (SELECT 1 FROM users WHERE role = 'admin' AND kind = 'person' AND disabled_at IS NULL AND id <> $1);

-- name: AccountAdd :one
-- No row: another user has the name, compared without case.
INSERT INTO users (name, role, password_hash, invite_id)
SELECT sqlc.arg(name)::text, sqlc.arg(role)::text, sqlc.arg(password_hash)::text, sqlc.narg(invite_id)::bigint
WHERE NOT EXISTS (SELECT 1 FROM users WHERE lower(users.name) = lower(sqlc.arg(name)::text))
ON CONFLICT (name) DO NOTHING
RETURNING *;

-- name: AccountSetRole :exec
UPDATE users SET role = $2 WHERE id = $1;

-- name: AccountDisable :exec
-- Shuts a person out: what they could sign in with is gone, also after they are let in again, and so are their invitations; their
-- background tasks are to be killed. The runner of the server's own host belongs to the installation.
WITH logins AS (
    DELETE FROM web_sessions w WHERE w.user_id = sqlc.arg(id)
), links AS (
    DELETE FROM login_links l WHERE l.user_id = sqlc.arg(id)
), tokens AS (
    UPDATE api_tokens t SET revoked_at = now() WHERE t.user_id = sqlc.arg(id) AND t.revoked_at IS NULL
), guests AS (
    UPDATE invites i SET expires_at = now() WHERE i.made_by = sqlc.arg(id) AND i.expires_at > now()
), tasks AS (
    UPDATE background_tasks b SET kill_asked_at = coalesce(b.kill_asked_at, now()) WHERE b.user_id = sqlc.arg(id) AND b.state = 'running'
), gone AS (
    UPDATE runners r SET revoked_at = now() WHERE r.user_id = sqlc.arg(id) AND r.revoked_at IS NULL AND r.name NOT IN ('local', '__docker__')
)
UPDATE users SET disabled_at = now(), halted_at = now(), disabled_by = sqlc.narg(by_user) WHERE users.id = sqlc.arg(id);

-- name: AccountEnable :execrows
UPDATE users SET disabled_at = NULL, disabled_by = NULL
WHERE id = $1 AND kind = 'person' AND NOT EXISTS (SELECT 1 FROM deletions d WHERE d.user_id = users.id);

-- name: AccountDisabled :one
-- Whether a user is shut out.
SELECT EXISTS (SELECT 1 FROM users WHERE id = $1 AND disabled_at IS NOT NULL);

-- name: AccountSignsOn :one
-- Whether a person comes by an OpenID Connect provider, and needs no password.
SELECT EXISTS (SELECT 1 FROM identities WHERE user_id = $1 AND kind = 'person' AND channel = 'oidc');

-- name: AccountWork :many
-- Conversations of people who were disabled in which a turn runs that nobody has told to stop, or messages wait: all of those who still
-- are, and of others what began before.
SELECT s.key, s.user_id, s.channel, max(w.turn_id)::text AS turn_id
FROM (
    SELECT t.session_key, t.id AS turn_id, t.started_at AS began_at FROM turns t
    WHERE t.state = 'running'
      AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.session_key = t.session_key AND i.kind = 'stop' AND i.target_turn = t.id)
    UNION ALL
    SELECT i.session_key, '', i.accepted_at FROM inbox i WHERE i.kind IN ('message', 'control') AND i.outcome IS NULL
) w
JOIN sessions s ON s.key = w.session_key
JOIN users u ON u.id = s.user_id
WHERE u.disabled_at IS NOT NULL OR w.began_at <= u.halted_at
GROUP BY s.key, s.user_id, s.channel
ORDER BY s.key
LIMIT 100;

-- name: InviteAdd :one
INSERT INTO invites (token_hash, note, role, uses, made_by, expires_at) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id, created_at;

-- name: InviteList :many
-- Invitations that are still valid, newest first.
SELECT i.id, i.note, i.role, i.uses, i.used, coalesce(u.name, '')::text AS made_by, i.created_at, i.expires_at
FROM invites i LEFT JOIN users u ON u.id = i.made_by
WHERE i.expires_at > now() AND i.used < i.uses AND (i.made_by IS NULL OR u.role = 'admin' AND u.disabled_at IS NULL)
ORDER BY i.id DESC;

-- name: InviteOpen :one
-- What an invitation is for. No row: it has expired, was used up or withdrawn, or nobody may have made it any more.
SELECT i.id, i.role FROM invites i
WHERE i.token_hash = $1 AND i.expires_at > now() AND i.used < i.uses
  AND (i.made_by IS NULL OR EXISTS (SELECT 1 FROM users u WHERE u.id = i.made_by AND u.role = 'admin' AND u.disabled_at IS NULL));

-- name: InviteUse :execrows
UPDATE invites SET used = used + 1 WHERE id = $1 AND used < uses;

-- name: InviteWithdraw :execrows
-- It stays, since people may have come by it.
UPDATE invites SET expires_at = now() WHERE id = $1 AND expires_at > now();

-- name: InvitePrune :exec
DELETE FROM invites WHERE expires_at < now() - interval '90 days';
