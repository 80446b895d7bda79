-- name: ChangesOf :many
-- Those of a person's own settings; with installation also those of the installation and of people. kind: only those; empty: all.
-- before: older ones than that; 0: the newest.
SELECT c.id, c.kind, c.name, c.before, c.after, c.changed_at, coalesce(u.name, '')::text AS changed_by,
       coalesce(o.name, '')::text AS owner, (c.owner = sqlc.arg(owner)::bigint) IS TRUE AS own
FROM changes c LEFT JOIN users u ON u.id = c.changed_by LEFT JOIN users o ON o.id = c.owner
WHERE (c.owner = sqlc.arg(owner)::bigint OR sqlc.arg(installation)::boolean AND (c.owner IS NULL OR c.kind = 'person'))
  AND (sqlc.arg(kind)::text = '' OR c.kind = sqlc.arg(kind)::text)
  AND (sqlc.arg(before)::bigint = 0 OR c.id < sqlc.arg(before)::bigint)
ORDER BY c.id DESC
LIMIT sqlc.arg(n);

-- name: PreferenceLock :exec
-- Changes of the preferences of one person go one after the other.
SELECT pg_advisory_xact_lock(hashtextextended('preferences ' || sqlc.arg(user_id)::bigint::text, 0));

-- name: PreferenceVersion :one
-- The newest change of a person's preferences; 0: there was none.
SELECT coalesce(max(c.id), 0)::bigint FROM changes c WHERE coalesce(c.owner, 0) = sqlc.arg(user_id)::bigint AND c.kind = 'preference';

-- name: PreferenceKnown :one
SELECT EXISTS (SELECT 1 FROM changes c WHERE coalesce(c.owner, 0) = sqlc.arg(user_id)::bigint AND c.kind = 'preference' AND c.id = sqlc.arg(version));

-- name: PreferencesThen :many
-- The preferences that differ now from what they were right after a change, with what they were; empty: not set.
SELECT DISTINCT ON (c.name) c.name, coalesce(c.before ->> 'value', '')::text AS value
FROM changes c
WHERE coalesce(c.owner, 0) = sqlc.arg(user_id)::bigint AND c.kind = 'preference' AND c.id > sqlc.arg(version)
ORDER BY c.name, c.id;
