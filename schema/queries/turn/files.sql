-- name: FileInsert :exec
-- A file of which only the picture is kept is nowhere else: it is stored with it.
INSERT INTO inbox_files (inbox_id, n, user_id, kind, key, name, size, of_message, path, picture, state, stored_at)
SELECT sqlc.arg(inbox_id)::bigint, sqlc.arg(n), s.user_id, sqlc.arg(kind), sqlc.arg(key), sqlc.arg(name), sqlc.arg(size), sqlc.arg(of_message), sqlc.arg(at),
       sqlc.narg(picture), CASE WHEN sqlc.narg(picture)::jsonb IS NULL THEN 'waiting' ELSE 'stored' END, CASE WHEN sqlc.narg(picture)::jsonb IS NOT NULL THEN now() END
FROM sessions s WHERE s.key = sqlc.arg(session);

-- name: FileParcel :one
-- Where the files of a message come from and where they go to: those of a command to where it runs.
SELECT i.session_key, i.channel, i.account, i.place, i.accepted_at, s.user_id AS owner, coalesce(c.runner, s.runner)::text AS runner, u.name AS user_name,
       (i.outcome IS NULL AND i.files_until IS NOT NULL)::boolean AS waits,
       coalesce(s.origin ->> 'label', '')::text AS label,
       (c.inbox_id IS NOT NULL)::boolean AS command, coalesce(c.dir, '')::text AS dir, coalesce(c.dir_runner, '')::text AS dir_runner
FROM inbox i JOIN sessions s ON s.key = i.session_key JOIN users u ON u.id = i.user_id LEFT JOIN commands c ON c.inbox_id = i.id
WHERE i.id = $1 AND i.files > 0;

-- name: FileList :many
SELECT n, kind, key, name, size, of_message, state, runner, path, problem, picture, transcript, unheard, pages, unshown FROM inbox_files WHERE inbox_id = sqlc.arg(inbox_id)::bigint ORDER BY n;

-- name: FileQuoted :one
-- Where a runner keeps what a quoted file holds, since it was fetched for the same conversation before.
SELECT o.path, o.size
FROM inbox_files f JOIN inbox i ON i.id = f.inbox_id
JOIN inbox_files o ON o.user_id = f.user_id AND o.kind = f.kind AND o.key = f.key AND o.state = 'stored' AND o.runner = sqlc.arg(runner)
JOIN inbox e ON e.id = o.inbox_id AND e.session_key = i.session_key
WHERE f.inbox_id = sqlc.arg(inbox_id)::bigint AND f.n = sqlc.arg(n) AND f.of_message <> ''
ORDER BY o.stored_at DESC
LIMIT 1;

-- name: FileStored :exec
UPDATE inbox_files SET state = 'stored', runner = sqlc.arg(runner), path = sqlc.arg(path), size = sqlc.arg(size), problem = '', stored_at = now(),
    picture = sqlc.narg(picture), transcript = sqlc.arg(transcript), unheard = sqlc.arg(unheard), pages = sqlc.arg(pages), unshown = sqlc.arg(unshown)
WHERE inbox_id = sqlc.arg(inbox_id)::bigint AND n = sqlc.arg(n) AND state = 'waiting';

-- name: FileProblem :exec
-- Notes why a file is not there; it may be tried again unless that is for good.
UPDATE inbox_files SET problem = sqlc.arg(problem), state = CASE WHEN sqlc.arg(failed)::boolean THEN 'failed' ELSE state END
WHERE inbox_id = sqlc.arg(inbox_id)::bigint AND n = sqlc.arg(n) AND state = 'waiting';

-- name: FilesEnd :exec
-- Ends what is not fetched.
UPDATE inbox_files SET state = 'failed' WHERE inbox_id = sqlc.arg(inbox_id)::bigint AND state = 'waiting';

-- name: FilesRelease :many
-- Lets the message be claimed. No row: it was before.
UPDATE inbox SET files_until = NULL, woken_at = now(), wakes = 0 WHERE id = sqlc.arg(id) AND files_until IS NOT NULL
RETURNING session_key, user_id, channel, kind;

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
-- Stored files of a user on one runner that are older than the given time, oldest first, and that nobody has quoted since.
SELECT f.id, f.path FROM inbox_files f
WHERE f.user_id = sqlc.arg(user_id) AND f.runner = sqlc.arg(runner) AND f.state = 'stored' AND f.stored_at < now() - sqlc.arg(older)::interval
  AND NOT EXISTS (SELECT 1 FROM inbox_files o WHERE o.user_id = f.user_id AND o.runner = f.runner AND o.path = f.path AND o.state = 'stored'
                  AND o.stored_at >= now() - sqlc.arg(older)::interval)
ORDER BY f.stored_at
LIMIT 100;

-- name: FileRemoved :exec
UPDATE inbox_files SET state = 'removed' WHERE id = $1;

-- name: FilesOrphaned :many
-- Stored files of conversations that are gone, unless another message has the same one: some of them, in no order, so that a runner
-- that is away does not hold up the others. An administrator reaches the server's own host for whoever may not any more.
SELECT f.id, f.runner, f.path, (CASE f.runner WHEN 'local' THEN coalesce(
    (SELECT u.id FROM users u WHERE u.role = 'admin' AND u.kind = 'person' AND u.disabled_at IS NULL ORDER BY u.id LIMIT 1), f.user_id)
  ELSE f.user_id END)::bigint AS reached_by
FROM inbox_files f
WHERE f.inbox_id IS NULL AND f.state = 'stored' AND f.path <> ''
  AND NOT EXISTS (SELECT 1 FROM inbox_files o WHERE o.user_id = f.user_id AND o.runner = f.runner AND o.path = f.path AND o.state = 'stored' AND o.inbox_id IS NOT NULL)
ORDER BY random()
LIMIT 100;
