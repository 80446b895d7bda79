-- name: TargetList :many
SELECT t.name, t.enabled, t.endpoint, t.public_key, t.secrets, t.key_hint, t.content, t.revision, t.changed_at, coalesce(u.name, '')::text AS changed_by
FROM trace_targets t LEFT JOIN users u ON u.id = t.changed_by
ORDER BY t.name;

-- name: TargetAdd :execrows
INSERT INTO trace_targets (name, enabled, endpoint, public_key, secrets, key_hint, content, changed_by)
VALUES (sqlc.arg(name), sqlc.arg(enabled), sqlc.arg(endpoint), sqlc.arg(public_key), sqlc.narg(secrets), sqlc.arg(key_hint), sqlc.arg(content), sqlc.narg(changed_by)::bigint)
ON CONFLICT DO NOTHING;

-- name: TargetReplace :execrows
-- Of the one revision that the change was made from.
UPDATE trace_targets SET
    enabled = sqlc.arg(enabled), endpoint = sqlc.arg(endpoint), public_key = sqlc.arg(public_key), secrets = sqlc.narg(secrets), key_hint = sqlc.arg(key_hint),
    content = sqlc.arg(content), changed_by = sqlc.narg(changed_by)::bigint, changed_at = now(), revision = revision + 1
WHERE name = sqlc.arg(name) AND revision = sqlc.arg(revision);

-- name: TargetDelete :execrows
DELETE FROM trace_targets WHERE name = $1;
