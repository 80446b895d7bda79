-- name: ToolKeyList :many
-- Those of the installation first, then those of a person; for a consumer those of the administrator of their service.
SELECT k.id, coalesce(k.user_id, 0)::bigint AS owner, k.service, k.provider, k.base_url, k.model, k.price, k.secrets, k.key_hint, k.revision, k.changed_at, coalesce(u.name, '')::text AS changed_by
FROM tool_keys k LEFT JOIN users u ON u.id = k.changed_by
WHERE k.user_id IS NULL OR k.user_id = (SELECT a.admin_id FROM user_admins a WHERE a.user_id = sqlc.arg(owner)::bigint)
ORDER BY k.user_id NULLS FIRST, k.service;

-- name: ToolKeyAdd :execrows
-- The first one of its owner for a service.
INSERT INTO tool_keys (user_id, service, provider, base_url, model, price, secrets, key_hint, changed_by)
VALUES (sqlc.narg(owner)::bigint, sqlc.arg(service), sqlc.arg(provider), sqlc.arg(base_url), sqlc.arg(model), sqlc.narg(price), sqlc.narg(secrets), sqlc.arg(key_hint), sqlc.narg(changed_by)::bigint)
ON CONFLICT DO NOTHING;

-- name: ToolKeyReplace :execrows
-- Of the one revision that the change was made from.
UPDATE tool_keys
SET provider = sqlc.arg(provider), base_url = sqlc.arg(base_url), model = sqlc.arg(model), price = sqlc.narg(price), secrets = sqlc.narg(secrets), key_hint = sqlc.arg(key_hint),
    changed_by = sqlc.narg(changed_by)::bigint, changed_at = now(), revision = revision + 1
WHERE service = sqlc.arg(service) AND revision = sqlc.arg(revision) AND user_id IS NOT DISTINCT FROM sqlc.narg(owner)::bigint;

-- name: ToolKeyDelete :execrows
DELETE FROM tool_keys WHERE service = sqlc.arg(service) AND user_id IS NOT DISTINCT FROM sqlc.narg(owner)::bigint;
