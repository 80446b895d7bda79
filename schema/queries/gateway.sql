-- name: LockName :exec
-- Holds a name until the end of the transaction: who makes something of that name comes one after the other.
SELECT pg_advisory_xact_lock(hashtextextended(sqlc.arg(name)::text, 0));

-- name: IdentityUser :one
SELECT u.* FROM identities i JOIN users u ON u.id = i.user_id
WHERE i.kind = $1 AND i.channel = $2 AND i.account = $3 AND i.peer = $4;

-- name: IdentityAdd :exec
INSERT INTO identities (kind, channel, account, peer, user_id, union_id, member_id) VALUES ($1, $2, $3, $4, $5, $6, $7);

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

-- name: UserAdd :one
-- No row: somebody has the name, in whatever case.
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

-- name: AliasGet :one
SELECT session_key FROM session_aliases WHERE alias = $1;

-- name: AliasSet :exec
INSERT INTO session_aliases (alias, session_key) VALUES ($1, $2)
ON CONFLICT (alias) DO UPDATE SET session_key = EXCLUDED.session_key, created_at = now()
WHERE session_aliases.session_key <> EXCLUDED.session_key;

-- name: AliasAdd :exec
-- The first one stands.
INSERT INTO session_aliases (alias, session_key) VALUES ($1, $2) ON CONFLICT (alias) DO NOTHING;

-- name: AliasAnswers :exec
-- Lets replies to what the bot has said lead back to a work session: to a conversation that others are told from by such names.
INSERT INTO session_aliases (alias, session_key)
SELECT unnest(sqlc.arg(aliases)::text[]), sqlc.arg(session_key)
WHERE EXISTS (SELECT 1 FROM session_aliases a WHERE a.session_key = sqlc.arg(session_key))
ON CONFLICT (alias) DO NOTHING;

-- name: AliasDelete :exec
DELETE FROM session_aliases WHERE alias = $1;

-- name: OverheardAdd :execrows
-- No row: it is known, or it was accepted as a message of the session, by whichever account.
INSERT INTO overheard (session_key, channel, account, platform_id, sender, body, sent_at)
SELECT sqlc.arg(session_key)::text, sqlc.arg(channel)::text, sqlc.arg(account)::text, sqlc.arg(platform_id)::text,
       sqlc.arg(sender)::text, sqlc.arg(body)::text, sqlc.arg(sent_at)::timestamptz
WHERE NOT EXISTS (
    SELECT 1 FROM inbox i
    WHERE i.session_key = sqlc.arg(session_key)::text AND i.channel = sqlc.arg(channel)::text AND i.platform_id = sqlc.arg(platform_id)::text
)
ON CONFLICT (channel, account, session_key, platform_id) DO NOTHING;

-- name: OverheardKnown :one
SELECT EXISTS (
    SELECT 1 FROM overheard WHERE channel = $1 AND account = $2 AND session_key = $3 AND platform_id = $4
);

-- name: OverheardEdit :execrows
UPDATE overheard SET body = $5 WHERE channel = $1 AND account = $2 AND session_key = $3 AND platform_id = $4 AND NOT taken;

-- name: OverheardRecall :execrows
UPDATE overheard SET body = '', sender = '', taken = true
WHERE channel = $1 AND account = $2 AND session_key = $3 AND platform_id = $4 AND NOT taken;

-- name: OverheardTrim :exec
-- Keeps the newest of a session.
UPDATE overheard SET taken = true, body = '', sender = ''
WHERE overheard.session_key = $1 AND NOT overheard.taken AND overheard.id NOT IN (
    SELECT o.id FROM overheard o WHERE o.session_key = $1 AND NOT o.taken ORDER BY o.sent_at DESC, o.id DESC LIMIT sqlc.arg(keep)
);

-- name: OverheardForget :exec
DELETE FROM overheard WHERE session_key = $1 AND taken AND sent_at < now() - interval '30 days';

-- name: OverheardTake :many
-- What was said before a message. What was accepted as a message of the session meanwhile is left out.
WITH due AS (
    SELECT o.id, o.sender, o.body, o.sent_at, EXISTS (
        SELECT 1 FROM inbox i WHERE i.session_key = o.session_key AND i.channel = o.channel AND i.platform_id = o.platform_id
    ) AS accepted
    FROM overheard o
    WHERE o.session_key = $1 AND NOT o.taken AND o.sent_at <= (SELECT m.sent_at FROM inbox m WHERE m.id = sqlc.arg(before))
    FOR UPDATE
), taken AS (
    UPDATE overheard SET taken = true, body = '', sender = '' FROM due WHERE overheard.id = due.id
)
SELECT due.sender, due.body FROM due WHERE NOT due.accepted ORDER BY due.sent_at, due.id;

-- name: InboxDelivered :one
SELECT id, session_key, kind FROM inbox
WHERE channel = $1 AND account = $2 AND user_id = $3 AND platform_id = $4;

-- name: SessionOwner :one
SELECT u.* FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.key = $1;

-- name: SessionSetOrigin :exec
UPDATE sessions SET origin = $2, scene = $3, runner = $4 WHERE key = $1 AND (origin <> $2 OR scene <> $3 OR runner <> $4);

-- name: SessionWorking :one
-- The work session of a chat whose turn runs for a person and whose thread nobody knows yet, the newest if there are several.
SELECT s.key FROM turns t JOIN sessions s ON s.key = t.session_key
WHERE t.state = 'running' AND t.user_id = sqlc.arg(user_id)::bigint AND s.scene = 'work' AND s.channel = sqlc.arg(channel)
  AND NOT EXISTS (SELECT 1 FROM session_aliases a WHERE a.session_key = s.key AND strpos(a.alias, '|thread:') > 0)
  AND s.origin ->> 'to' = sqlc.arg(chat)::text AND coalesce(s.origin ->> 'account_id', '') = sqlc.arg(account)::text
ORDER BY t.started_at DESC LIMIT 1;

-- name: SessionMine :many
SELECT key, title FROM sessions WHERE user_id = $1 AND shelf = '' ORDER BY last_interaction_at DESC, key LIMIT $2;

-- name: SessionSetSend :exec
UPDATE sessions SET send = $2 WHERE key = $1;

-- name: SessionSetActivation :exec
UPDATE sessions SET activation = $2 WHERE key = $1;

-- name: CommandAnswer :one
-- What a command was answered with.
SELECT content FROM messages WHERE inbox_id = $1 AND role = 'notice' AND origin = 'command';
