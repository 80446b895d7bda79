-- name: RefusedToolAdd :execrows
-- No row: it is known already, or the turn does not run any more.
INSERT INTO refused_tools AS r (session_key, model, tool, digest, reason)
SELECT t.session_key, sqlc.arg(model), sqlc.arg(tool), sqlc.arg(digest), sqlc.arg(reason)
FROM turns t WHERE t.id = sqlc.arg(turn_id) AND t.session_key = sqlc.arg(session_key) AND t.state = 'running'
ON CONFLICT (session_key, model, tool) DO UPDATE SET digest = excluded.digest, reason = excluded.reason, refused_at = now()
WHERE r.digest <> excluded.digest;

-- name: RefusedRequestSet :exec
-- A refusal of one request alone leaves what is known of the window. No row: the session is gone.
INSERT INTO refused_requests AS r (session_key, model, window_size, request_hash)
SELECT s.key, sqlc.arg(model), sqlc.arg(window_size)::integer, sqlc.arg(request_hash)
FROM sessions s WHERE s.key = sqlc.arg(session_key)
ON CONFLICT (session_key, model) DO UPDATE SET
    window_size = CASE WHEN excluded.window_size > 0 THEN excluded.window_size ELSE r.window_size END,
    request_hash = excluded.request_hash, refused_at = now();
