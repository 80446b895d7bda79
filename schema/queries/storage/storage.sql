-- name: StorageEditGet :one
SELECT key, size, digest, done FROM storage_edits WHERE call_id = sqlc.arg(call_id) AND user_id = sqlc.arg(user_id);

-- name: StorageEditBegin :exec
-- Stores an edit before its object is stored. A later attempt may have other content, which replaces this one until the edit is done.
INSERT INTO storage_edits (call_id, user_id, key, size, digest) VALUES (sqlc.arg(call_id), sqlc.arg(user_id), sqlc.arg(key), sqlc.arg(size), sqlc.arg(digest))
ON CONFLICT (call_id) DO UPDATE SET key = excluded.key, size = excluded.size, digest = excluded.digest WHERE NOT storage_edits.done AND storage_edits.user_id = excluded.user_id;

-- name: StorageEditDone :exec
UPDATE storage_edits SET done = true WHERE call_id = sqlc.arg(call_id) AND user_id = sqlc.arg(user_id);

-- name: StorageDeletionsDue :many
-- Takes due deletions. Other processes do not see them for some minutes.
UPDATE storage_deletions d SET due_at = now() + interval '5 minutes'
WHERE d.id IN (SELECT o.id FROM storage_deletions o WHERE o.due_at <= now() AND o.storage = ANY(sqlc.arg(storages)::text[]) ORDER BY o.due_at LIMIT sqlc.arg(n) FOR UPDATE SKIP LOCKED)
RETURNING d.id, d.storage, d.key, d.passes;

-- name: StorageDeletionAgain :exec
-- A prefix was deleted for the first time: it is deleted once more after every write has ended.
UPDATE storage_deletions SET passes = passes + 1, due_at = now() + sqlc.arg(after)::interval WHERE id = sqlc.arg(id);

-- name: StorageDeletionDone :exec
DELETE FROM storage_deletions WHERE id = $1;

-- name: StorageDeletionLater :exec
-- The storage did not confirm the deletion: a later round retries.
UPDATE storage_deletions SET due_at = now() + sqlc.arg(after)::interval WHERE id = sqlc.arg(id);

-- name: StorageUsage :many
-- The number of consumer conversations in each place, and the size of their files at the last count.
SELECT storage, count(*)::bigint AS conversations, coalesce(sum(generated_bytes + attachments_bytes), 0)::bigint AS bytes FROM service_rooms GROUP BY storage ORDER BY storage;

-- name: StorageDeletionsWaiting :one
SELECT count(*)::bigint FROM storage_deletions;
