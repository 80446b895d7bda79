-- name: ChannelAccounts :many
SELECT * FROM channel_accounts ORDER BY channel, account;

-- name: ChannelAccountSave :one
INSERT INTO channel_accounts (channel, account, enabled, settings, secrets, changed_by)
VALUES (sqlc.arg(channel), sqlc.arg(account), sqlc.arg(enabled), sqlc.arg(settings), sqlc.narg(secrets), sqlc.narg(changed_by))
ON CONFLICT (channel, account) DO UPDATE
SET enabled = EXCLUDED.enabled, settings = EXCLUDED.settings, secrets = EXCLUDED.secrets, changed_by = EXCLUDED.changed_by,
    revision = nextval('channel_revisions'), changed_at = now()
RETURNING revision;

-- name: ChannelHolder :one
SELECT holder FROM channel_states WHERE channel = $1 AND account = $2;

-- name: ChannelHold :execrows
-- Takes or keeps the connection of an account; no row: another one holds it.
INSERT INTO channel_states (channel, account, holder, held_until)
VALUES (sqlc.arg(channel), sqlc.arg(account), sqlc.arg(holder), now() + sqlc.arg(lease)::interval)
ON CONFLICT (channel, account) DO UPDATE SET holder = EXCLUDED.holder, held_until = EXCLUDED.held_until
WHERE channel_states.holder = EXCLUDED.holder OR channel_states.held_until IS NULL OR channel_states.held_until < now();

-- name: ChannelRelease :exec
UPDATE channel_states SET held_until = NULL, connected = false WHERE channel = $1 AND account = $2 AND holder = $3;

-- name: ChannelReport :exec
INSERT INTO channel_states (channel, account, connected, connected_at, event_at, lag_ms, error, error_at)
VALUES (sqlc.arg(channel), sqlc.arg(account), sqlc.arg(connected), CASE WHEN sqlc.arg(connected) THEN now() END, sqlc.narg(event_at), sqlc.narg(lag_ms), sqlc.arg(error),
        CASE WHEN sqlc.arg(error) <> '' THEN now() END)
ON CONFLICT (channel, account) DO UPDATE
SET connected = EXCLUDED.connected,
    connected_at = CASE WHEN EXCLUDED.connected AND NOT channel_states.connected THEN now() ELSE channel_states.connected_at END,
    event_at = coalesce(EXCLUDED.event_at, channel_states.event_at), lag_ms = coalesce(EXCLUDED.lag_ms, channel_states.lag_ms),
    error = CASE WHEN EXCLUDED.error <> '' OR EXCLUDED.connected THEN EXCLUDED.error ELSE channel_states.error END,
    error_at = coalesce(EXCLUDED.error_at, channel_states.error_at);

-- name: ChannelRecall :one
SELECT coalesce(memory ->> sqlc.arg(key)::text, '')::text FROM channel_states WHERE channel = sqlc.arg(channel) AND account = sqlc.arg(account);

-- name: ChannelRemember :exec
INSERT INTO channel_states (channel, account, memory) VALUES (sqlc.arg(channel), sqlc.arg(account), jsonb_build_object(sqlc.arg(key)::text, sqlc.arg(value)::text))
ON CONFLICT (channel, account) DO UPDATE SET memory = channel_states.memory || EXCLUDED.memory;

-- name: ChannelSign :one
-- Counts a sign of life. The hour begins with the first one after the last hour.
INSERT INTO channel_states (channel, account, signs, signs_budget, signs_from)
VALUES (sqlc.arg(channel), sqlc.arg(account), 1, sqlc.arg(budget)::int, now())
ON CONFLICT (channel, account) DO UPDATE
SET signs = CASE WHEN channel_states.signs_from > now() - interval '1 hour' THEN channel_states.signs + 1 ELSE 1 END,
    signs_from = CASE WHEN channel_states.signs_from > now() - interval '1 hour' THEN channel_states.signs_from ELSE now() END,
    signs_budget = EXCLUDED.signs_budget
RETURNING (signs <= signs_budget)::boolean;
