-- name: AmendedRecall :execrows
-- Notes that a message was taken back. No row: that is known.
INSERT INTO amended_messages (key, kind) VALUES ($1, 'recalled')
ON CONFLICT (key) DO UPDATE SET kind = 'recalled', session_key = NULL, inbox_id = NULL, body = '', sender = '', told = true, told_turn = '', changed_at = now()
WHERE amended_messages.kind <> 'recalled';

-- name: AmendedRecallRead :execrows
-- Marks a change of a message that the model has read, so that it is reported once.
UPDATE amended_messages SET session_key = sqlc.arg(session_key)::text, inbox_id = sqlc.narg(inbox_id)::bigint, sender = sqlc.arg(sender), told = false
WHERE key = sqlc.arg(key) AND kind = 'recalled' AND session_key IS NULL;

-- name: AmendedEdit :execrows
-- Notes the new text of a message that the model has read. No row: it was taken back, or this is the text that is known.
INSERT INTO amended_messages (key, kind, session_key, inbox_id, body, told)
SELECT sqlc.arg(key)::bytea, 'edited', i.session_key, i.id, sqlc.arg(body)::text, false FROM inbox i
WHERE i.id = sqlc.arg(inbox_id) AND i.kind = 'message' AND i.outcome = 'claimed'
  AND (i.body <> sqlc.arg(body)::text OR EXISTS (SELECT 1 FROM amended_messages a WHERE a.key = sqlc.arg(key)::bytea))
ON CONFLICT (key) DO UPDATE SET body = excluded.body, told = false, told_turn = '', changed_at = now()
WHERE amended_messages.kind = 'edited' AND amended_messages.body <> excluded.body;

-- name: AmendedIsRecalled :one
SELECT EXISTS (SELECT 1 FROM amended_messages WHERE key = $1 AND kind = 'recalled');

-- name: AmendedTake :many
-- The changes to report to the model before a message that a turn claims.
UPDATE amended_messages a SET told = true, told_turn = sqlc.arg(turn)::text, body = CASE WHEN a.kind = 'edited' THEN a.body ELSE '' END
FROM (
    SELECT u.key, coalesce(i.sender, u.sender)::text AS name, i.accepted_at FROM amended_messages u LEFT JOIN inbox i ON i.id = u.inbox_id
    WHERE u.session_key = sqlc.arg(session_key)::text AND NOT u.told
    ORDER BY u.changed_at, u.key LIMIT 20
    FOR UPDATE OF u
) due
WHERE a.key = due.key
RETURNING a.kind, due.name, due.accepted_at, a.body, a.changed_at;

-- name: AmendedUntell :exec
-- A turn gave its messages back to the queue.
UPDATE amended_messages SET told = false, told_turn = '' WHERE told_turn = sqlc.arg(turn)::text AND told_turn <> '';

-- name: AmendedReturned :many
-- Ends what waits again although it was taken back while a turn had it.
UPDATE inbox SET outcome = 'recalled'
WHERE inbox.session_key = sqlc.arg(session_key) AND inbox.outcome IS NULL AND inbox.kind IN ('message', 'control')
  AND EXISTS (SELECT 1 FROM amended_messages a WHERE a.inbox_id = inbox.id AND a.kind = 'recalled')
RETURNING inbox.id, inbox.body;

-- name: AmendedOutcome :one
-- What became of a message, and with which turn.
SELECT session_key, kind, coalesce(outcome, '')::text AS outcome, turn_id FROM inbox WHERE id = $1;

-- name: AmendedLeaveOut :execrows
-- A message that gave way to another one does not come into the transcript with that, as long as no turn has read it.
UPDATE inbox SET outcome = 'recalled', replaced_by = NULL
WHERE inbox.id = $1 AND inbox.outcome IN ('superseded', 'summarized')
  AND (inbox.replaced_by = 0 OR EXISTS (SELECT 1 FROM inbox heir WHERE heir.id = inbox.replaced_by AND heir.outcome IS NULL));

-- name: AmendedStop :many
-- Stops the turn that answers a message that was taken back, where all that the turn was to answer was.
INSERT INTO inbox (session_key, user_id, kind, channel, account, platform_id, body, target_turn, mode)
SELECT i.session_key, i.user_id, 'stop', i.channel, i.account, 'recall-' || i.id, '', t.id, i.mode
FROM inbox i JOIN turns t ON t.id = i.turn_id
WHERE i.id = sqlc.arg(inbox_id) AND t.state = 'running' AND NOT EXISTS (
    SELECT 1 FROM inbox o WHERE o.turn_id = t.id AND o.kind IN ('message', 'background', 'control')
      AND NOT EXISTS (SELECT 1 FROM amended_messages a WHERE a.inbox_id = o.id AND a.kind = 'recalled'))
ON CONFLICT (channel, account, user_id, platform_id) DO NOTHING
RETURNING session_key, channel;

-- name: AmendedTurn :one
-- Whether a turn was to answer nothing but what was taken back, and was stopped for that.
SELECT (EXISTS (
    SELECT 1 FROM inbox i WHERE i.turn_id = sqlc.arg(turn_id)::text AND i.kind = 'message'
) AND NOT EXISTS (
    SELECT 1 FROM inbox o WHERE o.turn_id = sqlc.arg(turn_id)::text AND o.kind IN ('message', 'background', 'control')
      AND NOT EXISTS (SELECT 1 FROM amended_messages a WHERE a.inbox_id = o.id AND a.kind = 'recalled')
))::boolean;

-- name: AmendedForget :exec
-- Removes what is old, and of what belongs to no conversation all but the newest 10000.
DELETE FROM amended_messages WHERE key IN (
    SELECT o.key FROM amended_messages o WHERE o.changed_at < now() - interval '30 days' ORDER BY o.changed_at LIMIT 100
) OR key IN (
    SELECT n.key FROM amended_messages n WHERE n.session_key IS NULL ORDER BY n.changed_at DESC OFFSET 10000 LIMIT 100
);
