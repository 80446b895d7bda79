-- name: OffloadSave :execrows
-- Keeps the whole of a result under the root session, and its body once however often it occurs. The body's row is locked
-- against whoever removes bodies that nobody names. No row: the id is taken.
WITH body AS (
    INSERT INTO blobs (hash, body) VALUES (sqlc.arg(hash), sqlc.arg(body))
    ON CONFLICT (hash) DO UPDATE SET created_at = blobs.created_at
    RETURNING hash
)
INSERT INTO offloads (session_key, id, call_id, blob, bytes, tool, path, runner, file_size, file_time, file_hash)
SELECT coalesce(r.key, s.key), sqlc.arg(id), sqlc.narg(call_id), body.hash, sqlc.arg(bytes), sqlc.arg(tool), sqlc.arg(path), sqlc.arg(runner),
       sqlc.arg(file_size), sqlc.narg(file_time), sqlc.narg(file_hash)
FROM body, sessions s LEFT JOIN sessions r ON r.key = s.root
WHERE s.key = sqlc.arg(session_key)
ON CONFLICT (session_key, id) DO NOTHING;

-- name: CallKeepWhole :one
UPDATE tool_calls SET result = sqlc.arg(result)::text || CASE WHEN hook_note = '' THEN '' ELSE E'\n\n' || hook_note END, offload = ''
WHERE id = sqlc.arg(id)
RETURNING *;

-- name: OffloadBody :one
SELECT b.body
FROM sessions s
LEFT JOIN sessions r ON r.key = s.root
JOIN offloads o ON o.session_key = coalesce(r.key, s.key)
JOIN blobs b ON b.hash = o.blob
WHERE s.key = sqlc.arg(session_key) AND o.id = sqlc.arg(id);

-- name: OffloadList :many
-- What a conversation can recall of itself since it began, newest first.
SELECT o.id, o.tool, o.path, o.bytes
FROM sessions s
LEFT JOIN sessions r ON r.key = s.root
LEFT JOIN controls rs ON rs.id = s.reset_id
JOIN offloads o ON o.session_key = coalesce(r.key, s.key)
WHERE s.key = sqlc.arg(session_key) AND (rs.id IS NULL OR o.created_at > rs.created_at)
ORDER BY o.created_at DESC, o.id
LIMIT sqlc.arg(n);

-- name: OffloadFiles :many
-- Those of the named offloads that show files, newest first.
SELECT o.id, s.user_id, o.path, o.runner, o.file_size, o.file_time, o.file_hash
FROM sessions s
LEFT JOIN sessions r ON r.key = s.root
JOIN offloads o ON o.session_key = coalesce(r.key, s.key)
WHERE s.key = sqlc.arg(session_key) AND o.id = ANY(sqlc.arg(ids)::text[]) AND o.file_time IS NOT NULL
ORDER BY o.created_at DESC, o.id
LIMIT sqlc.arg(n);

-- name: CallWhole :one
-- The whole result of a call, also of an offloaded one.
SELECT c.session_key, c.state, coalesce(b.body, c.result)::text AS result
FROM tool_calls c
JOIN sessions s ON s.key = c.session_key
LEFT JOIN sessions r ON r.key = s.root
LEFT JOIN offloads o ON o.session_key = coalesce(r.key, s.key) AND o.id = c.offload
LEFT JOIN blobs b ON b.hash = o.blob
WHERE c.id = sqlc.arg(id);

-- name: OffloadBlobsOf :many
-- The bodies that are deleted with a session, if no other row names them.
SELECT DISTINCT o.blob FROM offloads o
WHERE o.session_key = sqlc.arg(session_key)
   OR o.call_id IN (SELECT c.id FROM tool_calls c WHERE c.session_key = sqlc.arg(session_key));

-- name: BlobLock :exec
-- Waits for those who are about to name one of the bodies, and holds off others.
SELECT hash FROM blobs WHERE hash = ANY(sqlc.arg(hashes)::bytea[]) ORDER BY hash FOR UPDATE;

-- name: BlobDrop :execrows
-- Removes bodies that no row names.
DELETE FROM blobs b WHERE b.hash = ANY(sqlc.arg(hashes)::bytea[]) AND NOT EXISTS (SELECT 1 FROM offloads o WHERE o.blob = b.hash);
