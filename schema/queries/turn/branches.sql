-- name: BranchVersions :many
-- The versions of messages beside the oldest one, oldest first.
SELECT coalesce(branch_of, id)::bigint AS root, id, rewound_by, content FROM messages
WHERE session_key = sqlc.arg(session_key) AND (branch_of = ANY(sqlc.arg(roots)::bigint[]) OR id = ANY(sqlc.arg(roots)::bigint[]))
ORDER BY root, id;

-- name: BranchRoots :many
-- The messages of a conversation that have versions, by the oldest of them; the newest places first.
SELECT coalesce(m.branch_of, m.id)::bigint AS root FROM messages m
WHERE m.session_key = sqlc.arg(session_key) AND m.role = 'user' AND m.rewound_by IS NULL
  AND (m.branch_of IS NOT NULL OR EXISTS (SELECT 1 FROM messages b WHERE b.branch_of = m.id))
ORDER BY m.id DESC
LIMIT sqlc.arg(n);

-- name: BranchStart :one
-- Where what a version stands for begins: with its turn, since it has one of its own; the oldest version with itself.
SELECT coalesce((
    SELECT min(o.id) FROM messages o WHERE m.branch_of IS NOT NULL AND o.session_key = m.session_key AND o.turn_id = m.turn_id
), m.id)::bigint AS first
FROM messages m WHERE m.session_key = $1 AND m.id = $2;

-- name: BranchSaid :many
-- What a person wrote with a message and in the rest of its turn, as it was accepted where that is known still.
SELECT s.content, s.pictures, s.inbox_id, i.body, i.options
FROM messages m
JOIN messages s ON s.session_key = m.session_key AND (s.id = m.id OR s.turn_id = m.turn_id AND s.id > m.id)
    AND s.role = 'user' AND s.origin = '' AND NOT s.display_only AND s.rewound_by IS NOT DISTINCT FROM m.rewound_by
LEFT JOIN inbox i ON i.id = s.inbox_id
WHERE m.session_key = $1 AND m.id = $2
ORDER BY s.id;

-- name: BranchBack :exec
-- Brings the messages back that a record took out.
UPDATE messages SET rewound_by = NULL, spells = spells + int8multirange(int8range(sqlc.arg(away)::bigint, sqlc.arg(back)::bigint))
WHERE session_key = sqlc.arg(session_key) AND rewound_by = sqlc.arg(away)::bigint;

-- name: BranchControlsBack :exec
UPDATE controls SET away_by = NULL, spells = spells + int8multirange(int8range(sqlc.arg(away)::bigint, sqlc.arg(back)::bigint))
WHERE session_key = sqlc.arg(session_key) AND away_by = sqlc.arg(away)::bigint;

-- name: BranchUndosAway :exec
-- The edits that a record has voided hold again.
UPDATE controls SET away_by = sqlc.arg(back)::bigint
WHERE session_key = sqlc.arg(session_key) AND kind = 'undo' AND away_by IS NULL AND (body ->> 'by')::bigint = sqlc.arg(away)::bigint;

-- name: BranchOfTurn :one
-- The record by which the message that a turn has claimed took the place of others.
SELECT id, (body -> 'rewind' ->> 'from')::bigint AS first FROM controls
WHERE session_key = sqlc.arg(session_key) AND kind = 'rewind' AND turn_id = sqlc.arg(turn_id) AND key LIKE 'branch/%';

-- name: BranchForget :exec
-- A claim that is released never was: what it had taken out is there as before.
DELETE FROM controls WHERE session_key = sqlc.arg(session_key) AND (id = sqlc.arg(control)::bigint OR kind = 'undo' AND (body ->> 'by')::bigint = sqlc.arg(control)::bigint);

-- name: BranchAsk :one
-- Asks again, in the place in the queue of the command that said so. No row: that was done before.
INSERT INTO inbox (session_key, user_id, kind, channel, account, platform_id, body, mode, sender, sent_at, sent_seq, options, place)
SELECT i.session_key, i.user_id, 'message', i.channel, i.account, i.platform_id || '#again', sqlc.arg(body), 'followup', i.sender, i.sent_at, i.sent_seq,
       sqlc.arg(options), i.place
FROM inbox i WHERE i.id = sqlc.arg(command)
ON CONFLICT ON CONSTRAINT inbox_platform_id DO NOTHING
RETURNING id, platform_id, sender;

-- name: BranchNewest :one
SELECT coalesce(max(id), 0)::bigint AS id FROM messages WHERE session_key = $1;

-- name: BranchBusy :one
-- Whether a turn of the session runs.
SELECT EXISTS (SELECT 1 FROM turns WHERE session_key = $1 AND state = 'running');
