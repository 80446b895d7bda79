-- name: RegistryLock :exec
-- Makes changes of what one person, or the installation, has published and installed wait for each other.
SELECT pg_advisory_xact_lock(hashtextextended('registry ' || sqlc.arg(owner)::text, 0));

-- name: RegistryEntryList :many
-- Entries that the viewer finds, by name: their own, and what others share and nobody has withdrawn; administrators also what administrators have
-- withdrawn and what somebody beside its owner has installed, whatever its owner says of it. Each word stands somewhere. An id restricts the list to one
-- entry; 0: all.
SELECT e.id, e.kind, v.name, v.description, v.tags, u.name AS owner, (e.user_id = sqlc.arg(viewer))::bool AS own, e.visibility, e.withdrawn,
       v.number, v.digest, v.size, v.files, v.notes, v.published_at, (SELECT count(*) FROM registry_installs i WHERE i.entry_id = e.id)::int AS installed
FROM registry_entries e JOIN registry_versions v ON v.entry_id = e.id AND v.number = e.newest JOIN users u ON u.id = e.user_id
WHERE (e.user_id = sqlc.arg(viewer) OR NOT sqlc.arg(own)::bool AND (e.visibility = 'everybody' AND e.withdrawn = '' OR sqlc.arg(admin)::bool AND (
       e.withdrawn = 'administrator' OR EXISTS (SELECT 1 FROM registry_installs i WHERE i.entry_id = e.id AND i.user_id IS DISTINCT FROM e.user_id))))
  AND (sqlc.arg(id)::bigint = 0 OR e.id = sqlc.arg(id)::bigint)
  AND (sqlc.arg(kind)::text = '' OR e.kind = sqlc.arg(kind)::text) AND (sqlc.arg(key)::text = '' OR e.key = sqlc.arg(key)::text)
  AND NOT EXISTS (SELECT 1 FROM unnest(sqlc.arg(words)::text[]) w
                  WHERE strpos(lower(v.name || ' ' || v.description || ' ' || array_to_string(v.tags, ' ') || ' ' || u.name), w) = 0)
ORDER BY e.key, e.kind, e.id
LIMIT sqlc.arg(most) OFFSET sqlc.arg(passed);

-- name: RegistryVersionList :many
-- The versions of an entry, the newest first, without their archives; number 0: all, else that version with its archive.
SELECT number, name, digest, (CASE WHEN sqlc.arg(number)::int = 0 THEN ''::bytea ELSE bundle END)::bytea AS bundle, size, files, notes, published_at
FROM registry_versions WHERE entry_id = sqlc.arg(entry_id) AND (sqlc.arg(number)::int = 0 OR number = sqlc.arg(number)::int)
ORDER BY number DESC;

-- name: RegistryEntryHold :execrows
-- An entry that nobody changes, withdraws or removes meanwhile.
SELECT id FROM registry_entries WHERE id = $1 FOR SHARE;

-- name: RegistryEntryLock :one
SELECT * FROM registry_entries WHERE id = $1 FOR UPDATE;

-- name: RegistryEntryNamed :one
SELECT * FROM registry_entries WHERE user_id = $1 AND kind = $2 AND key = $3 FOR UPDATE;

-- name: RegistryEntryAdd :one
INSERT INTO registry_entries (user_id, kind, key, visibility, newest, changed_by) VALUES ($1, $2, $3, $4, 1, $5) RETURNING id;

-- name: RegistryEntrySet :exec
UPDATE registry_entries SET visibility = sqlc.arg(visibility), withdrawn = sqlc.arg(withdrawn), newest = sqlc.arg(newest), changed_by = sqlc.arg(changed_by)::bigint WHERE id = sqlc.arg(id);

-- name: RegistryEntryDelete :execrows
DELETE FROM registry_entries WHERE id = $1 AND user_id = $2;

-- name: RegistryVersionAdd :exec
-- The oldest beyond keep go.
WITH gone AS (
    DELETE FROM registry_versions o WHERE o.entry_id = sqlc.arg(entry_id) AND o.number <= sqlc.arg(number)::int - sqlc.arg(keep)::int
)
INSERT INTO registry_versions (entry_id, number, name, description, tags, digest, bundle, size, files, notes)
VALUES (sqlc.arg(entry_id), sqlc.arg(number), sqlc.arg(name), sqlc.arg(description), sqlc.arg(tags), sqlc.arg(digest), sqlc.arg(bundle), sqlc.arg(size), sqlc.arg(files), sqlc.arg(notes));

-- name: RegistryTotals :one
-- What a person, or the installation, keeps: entries, installs, and the bytes of all archives.
SELECT (SELECT count(*) FROM registry_entries e WHERE e.user_id = sqlc.arg(owner))::int AS entries,
       (SELECT count(*) FROM registry_installs i WHERE coalesce(i.user_id, 0) = sqlc.arg(owner))::int AS installs,
       (coalesce((SELECT sum(octet_length(v.bundle)) FROM registry_versions v JOIN registry_entries e ON e.id = v.entry_id WHERE e.user_id = sqlc.arg(owner)), 0) +
        coalesce((SELECT sum(octet_length(i.bundle)) FROM registry_installs i WHERE coalesce(i.user_id, 0) = sqlc.arg(owner)), 0))::bigint AS bytes;

-- name: RegistryInstallList :many
-- What a person has installed, and what there is for everybody.
SELECT i.id, i.kind, i.name, i.description, (i.user_id IS NULL)::bool AS shared, i.enabled, coalesce(e.id, 0)::bigint AS entry, coalesce(u.name, '')::text AS owner,
       i.number, (CASE WHEN e.withdrawn = '' AND (e.visibility = 'everybody' OR e.user_id = sqlc.arg(owner)) THEN e.newest ELSE 0 END)::int AS newest, i.digest, i.size, i.files, i.installed_at
FROM registry_installs i LEFT JOIN registry_entries e ON e.id = i.entry_id LEFT JOIN users u ON u.id = e.user_id
WHERE coalesce(i.user_id, 0) IN (sqlc.arg(owner), 0)
ORDER BY i.key, i.kind, i.user_id NULLS LAST;

-- name: RegistryInForce :many
-- Of each name that of the person, also one that they have switched off, and else that of the installation; of roles, which are small, with the
-- archive.
SELECT n.id, n.name, n.description, n.digest, n.packed FROM (
    SELECT DISTINCT ON (i.key) i.id, i.key, i.name, i.description, i.digest, i.enabled, (CASE WHEN i.kind = 'role' THEN i.bundle ELSE ''::bytea END)::bytea AS packed
    FROM registry_installs i WHERE coalesce(i.user_id, 0) IN (sqlc.arg(owner), 0) AND i.kind = sqlc.arg(kind)
    ORDER BY i.key, i.user_id NULLS LAST
) n WHERE n.enabled ORDER BY n.key;

-- name: RegistryInstallBundle :one
SELECT i.kind, i.name, i.digest, i.bundle FROM registry_installs i WHERE i.id = sqlc.arg(id) AND coalesce(i.user_id, 0) IN (sqlc.arg(owner), 0);

-- name: RegistryInstallNamed :one
SELECT i.id, i.entry_id FROM registry_installs i WHERE coalesce(i.user_id, 0) = sqlc.arg(owner) AND i.kind = sqlc.arg(kind) AND i.key = sqlc.arg(key) FOR UPDATE;

-- name: RegistryInstallPut :one
-- Takes the place of what was installed under the name.
INSERT INTO registry_installs (user_id, kind, key, name, description, entry_id, number, digest, bundle, size, files, changed_by)
SELECT nullif(sqlc.arg(owner)::bigint, 0), sqlc.arg(kind), sqlc.arg(key), v.name, v.description, v.entry_id, v.number, v.digest, v.bundle, v.size, v.files, sqlc.arg(changed_by)::bigint
FROM registry_versions v WHERE v.entry_id = sqlc.arg(entry_id) AND v.number = sqlc.arg(number)
ON CONFLICT ((coalesce(user_id, 0)), kind, key) DO UPDATE
SET name = EXCLUDED.name, description = EXCLUDED.description, entry_id = EXCLUDED.entry_id, number = EXCLUDED.number, digest = EXCLUDED.digest, bundle = EXCLUDED.bundle,
    size = EXCLUDED.size, files = EXCLUDED.files, enabled = registry_installs.enabled OR registry_installs.entry_id IS DISTINCT FROM EXCLUDED.entry_id, changed_by = EXCLUDED.changed_by,
    installed_at = CASE WHEN registry_installs.digest = EXCLUDED.digest THEN registry_installs.installed_at ELSE now() END
RETURNING id;

-- name: RegistryInstallEnable :execrows
UPDATE registry_installs SET enabled = sqlc.arg(enabled), changed_by = sqlc.arg(changed_by)::bigint WHERE id = sqlc.arg(id) AND coalesce(user_id, 0) = sqlc.arg(owner);

-- name: RegistryInstallDelete :execrows
DELETE FROM registry_installs WHERE id = sqlc.arg(id) AND coalesce(user_id, 0) = sqlc.arg(owner);

-- name: RegistryInstallsDelete :execrows
-- The copies of an entry, or those of a digest, though its entry may be gone, which an administrator takes from everybody.
DELETE FROM registry_installs WHERE entry_id = sqlc.narg(entry_id)::bigint OR digest = sqlc.narg(digest)::text;
