-- name: QuestionAdd :many
-- Puts what a call asks on its way to the place of the message that its turn answers, as MessageAppend does with what is said.
INSERT INTO outbound (session_key, channel, account, place, turn_id, kind, call_id)
SELECT c.session_key, a.channel, a.account, i.place, c.turn_id, 'question', c.id
FROM tool_calls c JOIN turns t ON t.id = c.turn_id JOIN inbox i ON i.id = coalesce(
    (SELECT max(o.id) FROM inbox o WHERE o.turn_id = c.turn_id AND (o.kind <> 'background' OR o.place IS NOT NULL)),
    (SELECT n.id FROM inbox n WHERE n.session_key = c.session_key AND n.place IS NOT NULL AND n.kind <> 'background' ORDER BY n.id DESC LIMIT 1))
JOIN channel_accounts a ON a.channel = CASE i.kind WHEN 'background' THEN coalesce(i.place ->> 'channel', i.channel) ELSE i.channel END
    AND a.account = CASE i.kind WHEN 'background' THEN coalesce(i.place ->> 'account', '') ELSE i.account END
WHERE c.id = sqlc.arg(call_id)::text AND t.deliver AND i.place IS NOT NULL
ON CONFLICT (call_id, kind) WHERE call_id IS NOT NULL DO NOTHING
RETURNING session_key;

-- name: QuestionForget :exec
-- Forgets what a call has asked before on a platform, so that it can ask again.
DELETE FROM outbound WHERE call_id = sqlc.arg(call_id)::text AND kind IN ('question', 'settled');

-- name: QuestionWithdraw :execrows
-- A question that nobody has begun to send, and that is closed, is not sent.
UPDATE outbound SET state = 'expired', error = 'it was closed before it could be sent', ended_at = now()
WHERE call_id = sqlc.arg(call_id)::text AND kind = 'question' AND state = 'waiting' AND parts IS NULL;

-- name: QuestionSettle :many
-- A question that people see, or may come to see, shows how it ended.
INSERT INTO outbound (session_key, channel, account, place, turn_id, kind, call_id)
SELECT q.session_key, q.channel, q.account, q.place, q.turn_id, 'settled', q.call_id
FROM outbound q WHERE q.call_id = sqlc.arg(call_id)::text AND q.kind = 'question' AND q.state IN ('waiting', 'sent')
ON CONFLICT (call_id, kind) WHERE call_id IS NOT NULL DO NOTHING
RETURNING session_key;

-- name: QuestionOfCall :one
-- The question that a call has asked on a platform.
SELECT * FROM outbound WHERE call_id = sqlc.arg(call_id)::text AND kind = 'question';

-- name: QuestionShownAt :one
-- Whether a call asks in a chat of a platform, since the turn answers a message of it or the question was sent there, or people were shown
-- there what it asks. chat: that of its address, in direct chats without one the person.
SELECT (EXISTS (
    SELECT 1 FROM outbound o
    WHERE o.call_id = sqlc.arg(call_id)::text AND o.kind = 'question' AND o.channel = sqlc.arg(channel) AND o.account = sqlc.arg(account)
      AND coalesce(nullif(o.place ->> 'chat', ''), o.place ->> 'peer', '') = sqlc.arg(chat)::text
) OR EXISTS (
    SELECT 1 FROM tool_calls c JOIN inbox i ON i.turn_id = c.turn_id
    WHERE c.id = sqlc.arg(call_id)::text AND i.channel = sqlc.arg(channel) AND i.account = sqlc.arg(account)
      AND coalesce(nullif(i.place ->> 'chat', ''), i.place ->> 'peer', '') = sqlc.arg(chat)::text
) OR EXISTS (
    SELECT 1 FROM questions_shown q
    WHERE q.call_id = sqlc.arg(call_id)::text AND q.channel = sqlc.arg(channel) AND q.account = sqlc.arg(account) AND q.chat = sqlc.arg(chat)::text
))::boolean AS shown;

-- name: QuestionShow :exec
INSERT INTO questions_shown (call_id, channel, account, chat) VALUES (sqlc.arg(call_id), sqlc.arg(channel), sqlc.arg(account), sqlc.arg(chat))
ON CONFLICT DO NOTHING;
