-- Files that people sent with messages.

-- name: FileInsert :exec
INSERT INTO inbox_files (inbox_id, n, user_id, kind, key, name, size)
SELECT sqlc.arg(inbox_id)::bigint, sqlc.arg(n), s.user_id, sqlc.arg(kind), sqlc.arg(key), sqlc.arg(name), sqlc.arg(size)
FROM sessions s WHERE s.key = sqlc.arg(session);

-- name: FileParcel :one
-- Where the files of a message come from and where they go to: those of a command to where it runs.
SELECT i.session_key, i.channel, i.account, i.place, i.accepted_at, s.user_id AS owner, coalesce(c.runner, s.runner)::text AS runner, u.name AS user_name,
       (i.outcome IS NULL AND i.files_until IS NOT NULL)::boolean AS waits,
       (c.inbox_id IS NOT NULL)::boolean AS command, coalesce(c.dir, '')::text AS dir, coalesce(c.dir_runner, '')::text AS dir_runner
FROM inbox i JOIN sessions s ON s.key = i.session_key JOIN users u ON u.id = i.user_id LEFT JOIN commands c ON c.inbox_id = i.id
WHERE i.id = $1 AND i.files > 0;

-- name: FileList :many
SELECT n, kind, key, name, size, state, runner, path, problem FROM inbox_files WHERE inbox_id = sqlc.arg(inbox_id)::bigint ORDER BY n;

-- name: FileStored :exec
UPDATE inbox_files SET state = 'stored', runner = sqlc.arg(runner), path = sqlc.arg(path), size = sqlc.arg(size), problem = '', stored_at = now()
WHERE inbox_id = sqlc.arg(inbox_id)::bigint AND n = sqlc.arg(n) AND state = 'waiting';

-- name: FileProblem :exec
-- Notes why a file is not there; it may be tried again unless that is for good.
UPDATE inbox_files SET problem = sqlc.arg(problem), state = CASE WHEN sqlc.arg(failed)::boolean THEN 'failed' ELSE state END
WHERE inbox_id = sqlc.arg(inbox_id)::bigint AND n = sqlc.arg(n) AND state = 'waiting';

-- name: FilesEnd :exec
-- Ends what is not fetched.
UPDATE inbox_files SET state = 'failed' WHERE inbox_id = sqlc.arg(inbox_id)::bigint AND state = 'waiting';

-- name: FilesRelease :exec
-- Lets the message be claimed.
UPDATE inbox SET files_until = NULL, woken_at = now(), wakes = 0 WHERE id = sqlc.arg(id) AND files_until IS NOT NULL;

-- name: FilesToFetch :many
-- Messages whose files are not there yet (the workflow of a command fetches its own), each at most once a back-off (2 s, doubling to 60 s).
UPDATE inbox SET woken_at = now(), wakes = wakes + 1
WHERE id IN (
    SELECT i.id FROM inbox i
    WHERE i.files_until > now() AND i.outcome IS NULL AND i.kind <> 'command'
      AND i.woken_at < now() - least(interval '60 seconds', interval '2 seconds' * power(2, least(i.wakes, 5)))
    ORDER BY i.woken_at
    LIMIT 100
    FOR UPDATE SKIP LOCKED
)
RETURNING id;

-- name: FilesOld :many
-- Stored files of a user on one runner that are older than the given time, oldest first.
SELECT id, path FROM inbox_files
WHERE user_id = sqlc.arg(user_id) AND runner = sqlc.arg(runner) AND state = 'stored' AND stored_at < now() - sqlc.arg(older)::interval
ORDER BY stored_at
LIMIT 100;

-- name: FileRemoved :exec
UPDATE inbox_files SET state = 'removed' WHERE id = $1;
