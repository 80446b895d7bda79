-- name: MessageAppend :one
-- What is to be read on a platform is put into outbound, for the place of the message that it answers: of the row it names, else
-- the newest one of its turn, else the newest one of the session. What the product told a conversation has a place of its own,
-- with the bot, or none, and then goes where a person wrote last. outbound says whether it was. words are what searches find the message by;
-- empty: nothing.
WITH m AS (
    INSERT INTO messages (session_key, turn_id, step, role, content, preface, reasoning, opaque, inbox_id, client_message_id,
                          model, finish, prompt_tokens, cached_tokens, completion_tokens, display_only, origin, sender,
                          shown, silent, pictures, branch_of, deliver)
    VALUES (sqlc.arg(session_key), sqlc.narg(turn_id), sqlc.narg(step), sqlc.arg(role), sqlc.arg(content), sqlc.arg(preface), sqlc.arg(reasoning),
            sqlc.arg(opaque), sqlc.narg(inbox_id), sqlc.arg(client_message_id), sqlc.arg(model), sqlc.arg(finish), sqlc.arg(prompt_tokens),
            sqlc.arg(cached_tokens), sqlc.arg(completion_tokens), sqlc.arg(display_only), sqlc.arg(origin), sqlc.arg(sender),
            sqlc.narg(shown), sqlc.arg(silent), sqlc.arg(pictures), sqlc.narg(branch_of), sqlc.arg(role) = 'user' OR coalesce((SELECT t.deliver FROM turns t WHERE t.id = sqlc.narg(turn_id)), true))
    RETURNING id, session_key, turn_id, inbox_id, created_at, deliver
), w AS (
    INSERT INTO message_words (message_id, words)
    SELECT m.id, sqlc.arg(words)::text::tsvector FROM m WHERE sqlc.arg(words)::text <> ''
), o AS (
    INSERT INTO outbound (session_key, channel, account, place, message_id, turn_id)
    SELECT m.session_key, a.channel, a.account, i.place, m.id, m.turn_id
    FROM m JOIN inbox i ON i.id = coalesce(
        m.inbox_id,
        (SELECT max(t.id) FROM inbox t WHERE t.turn_id = m.turn_id AND (t.kind <> 'background' OR t.place IS NOT NULL)),
        (SELECT n.id FROM inbox n WHERE n.session_key = m.session_key AND n.place IS NOT NULL AND n.kind <> 'background' ORDER BY n.id DESC LIMIT 1))
    JOIN channel_accounts a ON a.channel = CASE i.kind WHEN 'background' THEN coalesce(i.place ->> 'channel', i.channel) ELSE i.channel END
        AND a.account = CASE i.kind WHEN 'background' THEN coalesce(i.place ->> 'account', '') ELSE i.account END
    WHERE sqlc.arg(to_people)::boolean AND m.deliver AND i.place IS NOT NULL
    RETURNING id
)
SELECT m.id, m.created_at, m.deliver, EXISTS (SELECT 1 FROM o)::boolean AS outbound FROM m;

-- name: MessageListAfter :many
SELECT * FROM messages
WHERE session_key = $1 AND id > $2 AND (rewound_by IS NULL OR sqlc.arg(rewound)::boolean)
ORDER BY id
LIMIT $3;

-- name: MessageListBefore :many
SELECT * FROM messages
WHERE session_key = $1 AND id < $2 AND (rewound_by IS NULL OR sqlc.arg(rewound)::boolean)
ORDER BY id DESC
LIMIT $3;

-- name: CallInsert :exec
-- Stores the permission decision with the call.
INSERT INTO tool_calls (id, session_key, turn_id, step, n, message_id, provider_id, name, class, arguments, summary, questions, plan, hook, hook_after, rule, judged, always, judged_digest)
VALUES (sqlc.arg(id), sqlc.arg(session_key), sqlc.arg(turn_id), sqlc.arg(step), sqlc.arg(n), sqlc.arg(message_id), sqlc.arg(provider_id),
        sqlc.arg(name), sqlc.arg(class), sqlc.arg(arguments), sqlc.arg(summary), sqlc.narg(questions), sqlc.narg(plan),
        sqlc.arg(hook), sqlc.arg(hook_after), sqlc.arg(rule), sqlc.arg(judged), sqlc.narg(always), sqlc.arg(judged_digest));

-- name: CallGet :one
SELECT * FROM tool_calls WHERE id = $1;

-- name: CallToRun :one
-- A call with the runner and folder of its session.
SELECT sqlc.embed(c), s.user_id, s.cwd, s.cwd_runner, s.runner AS session_runner
FROM tool_calls c JOIN sessions s ON s.key = c.session_key WHERE c.id = $1;

-- name: CallListOfMessages :many
SELECT * FROM tool_calls WHERE message_id = ANY(sqlc.arg(ids)::bigint[]) ORDER BY message_id, n;

-- name: CallListOfStep :many
SELECT * FROM tool_calls WHERE turn_id = $1 AND step = $2 ORDER BY n;

-- name: CallBegin :one
-- Marks a call running before anything is sent. Returns no row when it was done, or its turn closed, before, or when it
-- needs a permission that nobody gave, or hooks were not asked or forbid it.
UPDATE tool_calls c SET state = 'running', answer_woken_at = NULL, started_at = coalesce(c.started_at, now()), attempts = c.attempts + 1, runner = CASE WHEN c.runner = '' THEN sqlc.arg(runner) ELSE c.runner END
FROM turns t
WHERE c.id = sqlc.arg(id) AND c.state <> 'done' AND t.id = c.turn_id AND t.state = 'running'
  AND (c.rule = 'allow' OR c.rule = 'ask' AND c.approval = 'allowed')
  AND (c.hook IN ('', 'passed') OR c.hook = 'deferred' AND c.approval = 'allowed')
RETURNING c.*;

-- name: CallReopen :one
-- A call that runs has to ask a person something: it is as before it began, with these questions. No row: it has its result, or its turn has ended.
UPDATE tool_calls c SET
    state = 'open', rule = 'ask', approval = '', questions = sqlc.arg(questions), answers = NULL, note = '', answered_by = '', answer_key = '',
    asked_at = NULL, answered_at = NULL, answer_woken_at = NULL, reason = '', preview = ''
FROM turns t
WHERE c.id = sqlc.arg(id) AND c.state = 'running' AND t.id = c.turn_id AND t.state = 'running'
RETURNING c.*;

-- name: CallFinish :one
-- Records the result, with what hooks said before the call. It also ends a question that nobody answered. took_ms is how
-- long the command ran, 0 if only the call is known: the outage of a server that found the end later does not count.
UPDATE tool_calls SET
    state = 'done', result = sqlc.arg(result)::text || CASE WHEN hook_note = '' THEN '' ELSE E'\n\n' || hook_note END,
    is_error = sqlc.arg(is_error), offload = sqlc.arg(offload), pictures = sqlc.arg(pictures), diff = sqlc.arg(diff), sources = sqlc.arg(sources), answer_woken_at = NULL,
    finished_at = CASE WHEN sqlc.arg(took_ms)::bigint > 0 THEN least(now(), started_at + sqlc.arg(took_ms)::bigint * interval '1 millisecond') ELSE now() END,
    approval = CASE WHEN approval = 'open' THEN 'void' ELSE approval END
WHERE id = sqlc.arg(id) AND state <> 'done'
RETURNING *;

-- name: CallListOpen :many
SELECT * FROM tool_calls WHERE turn_id = $1 AND state <> 'done' ORDER BY step, n FOR NO KEY UPDATE;

-- name: CallIntent :one
SELECT intent FROM tool_calls WHERE id = $1;

-- name: CallSetIntent :exec
UPDATE tool_calls SET intent = $2 WHERE id = $1;

-- name: CallSetStartedOn :execrows
-- Notes where the command is about to be sent to. The first note stands. No row: the call has its result, or is gone.
UPDATE tool_calls SET started_on = CASE WHEN started_on = '' THEN sqlc.arg(started_on)::text ELSE started_on END
WHERE id = sqlc.arg(id) AND state <> 'done';
