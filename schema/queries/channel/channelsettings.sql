-- name: ChannelOverview :many
-- What is configured with how it stands. A connection whose ingress is heard of no more is none, and an error from before the
-- newest change is none of what is configured now.
SELECT sqlc.embed(a), coalesce(u.name, '')::text AS changed_name,
       (coalesce(s.connected, false) AND coalesce(s.held_until > now(), false))::boolean AS connected,
       s.connected_at, s.event_at, s.lag_ms, s.error_at,
       (CASE WHEN s.signs_from > now() - interval '1 hour' THEN s.signs ELSE 0 END)::int AS signs, coalesce(s.signs_budget, 0)::int AS signs_budget,
       (CASE WHEN s.error_at >= a.changed_at THEN s.error ELSE '' END)::text AS error,
       coalesce(w.waiting, 0)::int AS waiting, coalesce(extract(epoch FROM now() - w.oldest), 0)::bigint AS oldest_s, coalesce(w.held, '')::text AS held
FROM channel_accounts a
LEFT JOIN channel_states s ON s.channel = a.channel AND s.account = a.account
LEFT JOIN users u ON u.id = a.changed_by
LEFT JOIN (
    SELECT o.channel, o.account, count(*)::int AS waiting, min(o.created_at) AS oldest,
        (array_agg(left(o.error, 300) ORDER BY o.tried_at DESC NULLS LAST, o.id DESC) FILTER (WHERE o.error <> ''))[1] AS held
    FROM outbound o WHERE o.state = 'waiting' GROUP BY o.channel, o.account
) w ON w.channel = a.channel AND w.account = a.account
ORDER BY a.channel, a.account;

-- name: ChannelAccountAdd :execrows
-- No row: there is such an account already.
INSERT INTO channel_accounts (channel, account, enabled, settings, secrets, changed_by)
VALUES (sqlc.arg(channel), sqlc.arg(account), sqlc.arg(enabled), sqlc.arg(settings), sqlc.narg(secrets), sqlc.arg(changed_by)::bigint)
ON CONFLICT (channel, account) DO NOTHING;

-- name: ChannelAccountReplace :execrows
-- No row: it is gone, or was changed since that revision.
UPDATE channel_accounts
SET enabled = sqlc.arg(enabled), settings = sqlc.arg(settings), secrets = sqlc.narg(secrets), changed_by = sqlc.arg(changed_by)::bigint,
    revision = nextval('channel_revisions'), changed_at = now()
WHERE channel = sqlc.arg(channel) AND account = sqlc.arg(account) AND revision = sqlc.arg(revision);

-- name: ChannelAccountEnable :execrows
UPDATE channel_accounts
SET enabled = sqlc.arg(enabled), changed_by = sqlc.arg(changed_by)::bigint, revision = nextval('channel_revisions'), changed_at = now()
WHERE channel = sqlc.arg(channel) AND account = sqlc.arg(account);

-- name: ChannelAccountDelete :execrows
DELETE FROM channel_accounts WHERE channel = $1 AND account = $2;

-- name: ChannelLastDirect :one
-- Where the person is who wrote last in a direct chat.
SELECT place FROM inbox
WHERE channel = sqlc.arg(channel) AND account = sqlc.arg(account) AND place ->> 'chat_type' = 'direct'
ORDER BY id DESC
LIMIT 1;
