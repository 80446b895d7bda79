-- name: SubscriptionsVersion :one
SELECT version FROM llm_subscriptions_version;

-- name: SubscriptionsBump :exec
-- Says that something has changed. Changes wait for each other here.
UPDATE llm_subscriptions_version SET version = version + 1;

-- name: SubscriptionList :many
-- Those of the installation first, then those of a person; user_id is 0 for the installation's.
SELECT s.id, coalesce(s.user_id, 0)::bigint AS owner, s.name, s.provider, s.api_type, s.base_url, s.secrets, s.key_hint, s.models, s.enabled, s.revision, s.changed_at,
       coalesce(u.name, '')::text AS changed_by
FROM llm_subscriptions s LEFT JOIN users u ON u.id = s.changed_by
WHERE s.user_id IS NULL OR s.user_id = sqlc.arg(owner)::bigint
ORDER BY s.user_id NULLS FIRST, s.id;

-- name: SubscriptionCount :one
SELECT count(*)::int FROM llm_subscriptions WHERE user_id IS NOT DISTINCT FROM sqlc.narg(owner)::bigint;

-- name: SubscriptionNameTaken :one
-- By another one of the same owner. Changes go one after the other, so it stays so.
SELECT EXISTS (SELECT 1 FROM llm_subscriptions WHERE user_id IS NOT DISTINCT FROM sqlc.narg(owner)::bigint AND name = sqlc.arg(name) AND id <> sqlc.arg(id));

-- name: SubscriptionAdd :one
INSERT INTO llm_subscriptions (user_id, name, provider, api_type, base_url, secrets, key_hint, models, enabled, changed_by)
VALUES (sqlc.narg(owner)::bigint, sqlc.arg(name), sqlc.arg(provider), sqlc.arg(api_type), sqlc.arg(base_url), sqlc.narg(secrets), sqlc.arg(key_hint), sqlc.arg(models), sqlc.arg(enabled), sqlc.narg(changed_by)::bigint)
RETURNING id;

-- name: SubscriptionReplace :execrows
-- Of the one revision that the change was made from.
UPDATE llm_subscriptions
SET name = sqlc.arg(name), provider = sqlc.arg(provider), api_type = sqlc.arg(api_type), base_url = sqlc.arg(base_url), secrets = sqlc.narg(secrets), key_hint = sqlc.arg(key_hint),
    models = sqlc.arg(models), enabled = sqlc.arg(enabled), changed_by = sqlc.narg(changed_by)::bigint, changed_at = now(), revision = revision + 1
WHERE id = sqlc.arg(id) AND revision = sqlc.arg(revision) AND user_id IS NOT DISTINCT FROM sqlc.narg(owner)::bigint;

-- name: SubscriptionDelete :execrows
DELETE FROM llm_subscriptions WHERE id = sqlc.arg(id) AND user_id IS NOT DISTINCT FROM sqlc.narg(owner)::bigint;
