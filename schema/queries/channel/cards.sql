-- name: CardDraftAdd :exec
INSERT INTO card_drafts (session_key, id, card, calls) VALUES (sqlc.arg(session_key), sqlc.arg(id), sqlc.arg(card), ARRAY[sqlc.arg(call_id)::text])
ON CONFLICT (session_key, id) DO NOTHING;

-- name: CardDraftsTrim :exec
-- Of a conversation the cards that were changed last stay.
DELETE FROM card_drafts d WHERE d.session_key = sqlc.arg(session_key) AND d.id NOT IN (
    SELECT n.id FROM card_drafts n WHERE n.session_key = sqlc.arg(session_key) ORDER BY n.changed_at DESC, n.id LIMIT sqlc.arg(most)::int
);

-- name: CardDraftGet :one
SELECT card FROM card_drafts WHERE session_key = sqlc.arg(session_key) AND id = sqlc.arg(id);

-- name: CardDraftLock :one
SELECT card, (sqlc.arg(call_id)::text = ANY (calls))::boolean AS done FROM card_drafts
WHERE session_key = sqlc.arg(session_key) AND id = sqlc.arg(id) FOR UPDATE;

-- name: CardDraftSave :exec
UPDATE card_drafts SET card = sqlc.arg(card), calls = calls || sqlc.arg(call_id)::text, changed_at = now()
WHERE session_key = sqlc.arg(session_key) AND id = sqlc.arg(id);

-- name: CardSend :many
-- Puts a card on its way to the place of the message that the turn of its call answers, as QuestionAdd does with a question.
INSERT INTO outbound (session_key, channel, account, place, turn_id, kind, call_id, card)
SELECT c.session_key, a.channel, a.account, i.place, c.turn_id, 'card', c.id, sqlc.arg(card)
FROM tool_calls c JOIN turns t ON t.id = c.turn_id JOIN inbox i ON i.id = coalesce(
    (SELECT max(o.id) FROM inbox o WHERE o.turn_id = c.turn_id AND (o.kind <> 'background' OR o.place IS NOT NULL)),
    (SELECT n.id FROM inbox n WHERE n.session_key = c.session_key AND n.place IS NOT NULL AND n.kind <> 'background' ORDER BY n.id DESC LIMIT 1))
JOIN channel_accounts a ON a.channel = CASE i.kind WHEN 'background' THEN coalesce(i.place ->> 'channel', i.channel) ELSE i.channel END
    AND a.account = CASE i.kind WHEN 'background' THEN coalesce(i.place ->> 'account', '') ELSE i.account END
WHERE c.id = sqlc.arg(call_id)::text AND c.session_key = sqlc.arg(session_key) AND t.deliver AND i.place IS NOT NULL
ON CONFLICT (call_id, kind) WHERE call_id IS NOT NULL DO NOTHING
RETURNING session_key;

-- name: CardSent :one
SELECT EXISTS (SELECT 1 FROM outbound WHERE call_id = sqlc.arg(call_id)::text AND session_key = sqlc.arg(session_key) AND kind = 'card')::boolean AS sent;
