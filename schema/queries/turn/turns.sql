-- name: TurnInsert :one
-- Opens a turn, or finds it open. No row: it was closed before. It wants a plan where its messages do, or its conversation; acts is false
-- for a command, which needs none. The session is locked, so that a switch of the mode finds the turn, or the turn finds the switch.
INSERT INTO turns (id, session_key, run_id, state, user_id, options, plan)
SELECT sqlc.arg(id), sqlc.arg(session_key), sqlc.arg(run_id), 'running', sqlc.narg(user_id), sqlc.arg(options),
       CASE WHEN sqlc.arg(acts)::boolean AND (sqlc.arg(plan)::boolean OR coalesce((SELECT s.plan FROM sessions s WHERE s.key = sqlc.arg(session_key) FOR NO KEY UPDATE), false))
           THEN 'wanted' ELSE '' END
ON CONFLICT (id) DO UPDATE SET run_id = EXCLUDED.run_id WHERE turns.state = 'running'
RETURNING *;

-- name: TurnFollow :many
-- A turn that goes on with what another one began is bound as that one: one that carries out a task as the turn that handed it out, one
-- that hears of an end as the turn that began what has ended, and one that a person asked to go on (again) as the newest before it. A subagent
-- cannot propose a plan, so nothing but the wall reaches it.
-- A task that was handed out before the plan was approved stays behind the wall, whenever it is begun.
UPDATE turns SET plan = CASE
    WHEN f.plan = 'wanted' OR f.plan = 'approved' AND EXISTS (SELECT 1 FROM subagent_tasks k WHERE k.turn_id = turns.id AND k.walled) THEN 'wanted'
    WHEN f.plan = 'approved' AND f.session_key = turns.session_key AND NOT coalesce((turns.options ->> 'plan')::boolean, false) THEN 'approved'
    ELSE turns.plan END
FROM turns f
WHERE turns.id = sqlc.arg(id) AND f.id = coalesce(
    (SELECT k.asked_in FROM subagent_tasks k WHERE k.turn_id = sqlc.arg(id)::text LIMIT 1),
    (SELECT k.asked_in FROM inbox i JOIN subagent_tasks k ON k.turn_id = i.platform_id
     WHERE i.turn_id = sqlc.arg(id)::text AND i.kind = 'background' AND i.account = 'subagent' LIMIT 1),
    (SELECT c.turn_id FROM inbox i JOIN group_chats g ON g.id = substr(i.platform_id, length('group/') + 1) JOIN tool_calls c ON c.id = g.call_id
     WHERE i.turn_id = sqlc.arg(id)::text AND i.kind = 'background' AND i.account = 'subagent' AND starts_with(i.platform_id, 'group/') LIMIT 1),
    (SELECT c.turn_id FROM inbox i JOIN tool_calls c ON c.id = i.platform_id
     WHERE i.turn_id = sqlc.arg(id)::text AND i.kind = 'background' AND i.account = 'background' LIMIT 1),
    (SELECT o.id FROM turns o WHERE sqlc.arg(again)::boolean AND o.session_key = turns.session_key AND o.id <> turns.id
        AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.turn_id = o.id AND i.kind = 'control')
     ORDER BY o.started_at DESC LIMIT 1))
RETURNING turns.*;

-- name: TurnAgain :many
-- A turn that answers a message again wants a plan if the message did.
UPDATE turns SET plan = 'wanted', options = turns.options || '{"plan": true}'
WHERE turns.id = sqlc.arg(id) AND EXISTS (
    SELECT 1 FROM messages m JOIN turns o ON o.id = m.turn_id
    WHERE m.id = sqlc.arg(message) AND m.session_key = turns.session_key AND coalesce((o.options ->> 'plan')::boolean, false))
RETURNING turns.*;

-- name: TurnPlan :many
-- A person approves the plan of a turn, or sends it back; a turn for which they have switched the mode off stays as it is.
UPDATE turns SET plan = sqlc.arg(plan) WHERE id = sqlc.arg(id) AND plan IN ('wanted', 'approved') AND plan <> sqlc.arg(plan) RETURNING *;

-- name: TurnPlanOn :many
-- A person switches plan mode on: the turn that runs wants a plan, too, from its next step on, and so do those of its subagents.
UPDATE turns SET plan = 'wanted'
WHERE (turns.session_key = sqlc.arg(session_key) OR turns.session_key IN (SELECT a.session_key FROM subagents a WHERE a.root = sqlc.arg(session_key))) AND turns.state = 'running' AND turns.plan IN ('', 'lifted')
  AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.turn_id = turns.id AND i.kind = 'control')
RETURNING *;

-- name: TurnPlanOff :many
-- A person switches it off: nothing of the conversation and its subagents wants a plan any more.
UPDATE turns SET plan = 'lifted'
WHERE (turns.plan = 'wanted' OR turns.plan = 'approved' AND turns.state = 'running') AND (turns.session_key = sqlc.arg(session_key) OR turns.session_key IN (SELECT a.session_key FROM subagents a WHERE a.root = sqlc.arg(session_key)))
RETURNING *;

-- name: TurnKeepFrom :exec
-- The send policy keeps the answers of a turn from the channel.
UPDATE turns SET deliver = false WHERE id = $1;

-- name: TurnLock :one
SELECT * FROM turns WHERE id = $1 FOR NO KEY UPDATE;

-- name: TurnRunning :one
SELECT id FROM turns WHERE session_key = $1 AND state = 'running';

-- name: TurnAllow :one
-- A person allows everything in a turn, or ceases to. The caller has locked it.
UPDATE turns SET allows_by = sqlc.arg(allows_by), allows_since = CASE WHEN sqlc.arg(allows_by)::text = '' THEN NULL ELSE now() END,
    allows_key = CASE WHEN sqlc.arg(allows_key)::text = '' THEN allows_key ELSE sqlc.arg(allows_key)::text END
WHERE id = sqlc.arg(id)
RETURNING *;

-- name: TurnCountAllowed :one
UPDATE turns SET allows_calls = allows_calls + sqlc.arg(n)::int WHERE id = sqlc.arg(id) RETURNING *;

-- name: TurnAllowedBy :one
-- The turn in which a message has allowed everything, or taken that back.
SELECT id FROM turns WHERE session_key = sqlc.arg(session_key) AND allows_key = sqlc.arg(allows_key) AND allows_key <> '' LIMIT 1;

-- name: TurnMayAllow :one
-- Whether a user may answer for the calls of a turn.
SELECT may_decide(s.user_id, sqlc.arg(user_id), t.id, false, '')::boolean AS may FROM turns t JOIN sessions s ON s.key = t.session_key WHERE t.id = sqlc.arg(id);

-- name: TurnEnded :one
-- How a turn has ended that this run carried out. No row: it has not, or another run did.
SELECT state FROM turns WHERE id = $1 AND run_id = $2 AND state <> 'running';

-- name: TurnList :many
SELECT * FROM turns WHERE session_key = $1 ORDER BY started_at DESC LIMIT $2;

-- name: TurnClose :one
-- Closes a turn with its open steps, uses up the stops for it, and notes that its trace is due. traced are the targets in the environment.
WITH steps_closed AS (
    UPDATE steps SET state = 'done', finish = sqlc.arg(state)::text, finished_at = now()
    WHERE steps.turn_id = sqlc.arg(id) AND steps.state = 'open'
), leases_ended AS (
    DELETE FROM llm_leases WHERE llm_leases.turn_id = sqlc.arg(id)
), stops_closed AS (
    UPDATE inbox SET outcome = CASE WHEN inbox.target_turn = sqlc.arg(id) AND sqlc.arg(state)::text = 'stopped' THEN 'applied' ELSE 'stale' END
    WHERE inbox.session_key = sqlc.arg(session_key) AND inbox.kind = 'stop' AND inbox.outcome IS NULL
), traces_due AS (
    INSERT INTO trace_exports (target, kind, turn_id)
    SELECT w.name, 'turn', sqlc.arg(id)
    FROM (SELECT e.name FROM unnest(sqlc.arg(traced)::text[]) AS e(name) WHERE NOT EXISTS (SELECT 1 FROM trace_targets g WHERE g.name = e.name)
          UNION SELECT g.name FROM trace_targets g WHERE g.enabled) w
    ON CONFLICT DO NOTHING
)
UPDATE turns SET state = sqlc.arg(state)::text, ended_at = now(), waits_since = NULL, waits_reason = '', waits_until = NULL, asks_at = NULL
WHERE turns.id = sqlc.arg(id) AND turns.state = 'running'
RETURNING *;

-- name: TurnKeepOverheard :many
-- What was overheard stays in the transcript without its turn: nobody else has the text any more.
UPDATE messages SET turn_id = NULL WHERE turn_id = $1 AND origin = 'overheard'
RETURNING *;

-- name: TurnDelete :exec
DELETE FROM turns WHERE id = $1;

-- name: TurnToCheck :many
-- Running turns whose run was not looked at for a while; the caller looks and settles those that are gone. A turn that runs for
-- long, mostly since it waits for a person, is looked at less often: after a tenth of its age, at most a minute. A stop that
-- nobody has seen yet brings it back to the front.
UPDATE turns SET checked_at = now()
WHERE id IN (
    SELECT t.id FROM turns t
    WHERE t.state = 'running' AND t.checked_at < now() - sqlc.arg(older)::interval
      AND (t.checked_at < now() - least(interval '1 minute', (t.checked_at - t.started_at) / 10)
           OR EXISTS (SELECT 1 FROM inbox i WHERE i.session_key = t.session_key AND i.kind = 'stop' AND i.outcome IS NULL))
    ORDER BY t.checked_at
    LIMIT 50
    FOR UPDATE SKIP LOCKED
)
RETURNING id, session_key, run_id, started_at, held_told_at;

-- name: TurnSetRun :exec
UPDATE turns SET run_id = $2 WHERE id = $1;

-- name: TurnMarkHeld :execrows
UPDATE turns SET held_told_at = now() WHERE id = $1 AND held_told_at IS NULL;

-- name: TurnAsksFirst :one
-- What started a turn: where, by whom, and by which command.
SELECT i.session_key, i.user_id, (CASE WHEN i.kind = 'control' THEN i.body ELSE '' END)::text AS command
FROM inbox i WHERE i.turn_id = sqlc.arg(turn_id) AND i.kind IN ('message', 'background', 'control')
ORDER BY i.claim, i.sent_at, i.sent_seq, i.id LIMIT 1;

-- name: TurnLockOf :many
-- Locks the running turn of a session.
SELECT id FROM turns WHERE session_key = $1 AND state = 'running' FOR UPDATE;

-- name: StepBegin :one
-- Opens a step of a running turn, or finds it, and takes the lease of its call: wait_ms says when to ask again for one. No
-- row: the turn is closed, or there is none.
-- It does not wait for the disk: what is written when the step ends does, and that writes this with it. A step that is lost in a
-- crash before is opened anew, by another attempt or by what ends it (StepReopen).
INSERT INTO steps (turn_id, step, state)
SELECT t.id, sqlc.arg(step), 'open' FROM turns t WHERE t.id = sqlc.arg(turn_id) AND t.state = 'running'
    AND set_config('synchronous_commit', 'off', true) = 'off'
ON CONFLICT (turn_id, step) DO UPDATE SET state = steps.state
RETURNING steps.turn_id, steps.step, steps.state, steps.failures, steps.finish, steps.fault, (CASE WHEN steps.state = 'open'
    THEN llm_lease_take(steps.turn_id, steps.step, sqlc.arg(most_global)::int, sqlc.arg(most_personal)::int, sqlc.arg(most_subagent)::int, sqlc.arg(lease)::interval)
    ELSE 0 END)::int AS wait_ms;

-- name: StepReopen :exec
-- Makes the row of a step again that a crash of Postgres has forgotten, see StepBegin. A closed turn gets none.
INSERT INTO steps (turn_id, step, state)
SELECT t.id, sqlc.arg(step), 'open' FROM turns t WHERE t.id = sqlc.arg(turn_id) AND t.state = 'running'
ON CONFLICT (turn_id, step) DO NOTHING;

-- name: StepLock :one
-- Locks the turn and then the step, in the order in which closing a turn locks them.
WITH turn AS MATERIALIZED (
    SELECT t.id, t.state, t.waits_since, t.system_hash FROM turns t WHERE t.id = $1 FOR NO KEY UPDATE
)
SELECT steps.*, turn.state AS turn_state, (turn.waits_since IS NOT NULL)::boolean AS waits, (turn.system_hash IS NULL)::boolean AS unfrozen
FROM steps JOIN turn ON turn.id = steps.turn_id
WHERE steps.turn_id = $1 AND steps.step = $2
FOR NO KEY UPDATE OF steps;

-- name: StepCountFailure :one
-- Nobody else waits while the provider is left alone.
WITH left_alone AS (
    DELETE FROM llm_leases WHERE llm_leases.turn_id = $1 AND llm_leases.step = $2
)
UPDATE steps SET failures = failures + 1 WHERE steps.turn_id = $1 AND steps.step = $2 AND steps.state = 'open'
RETURNING failures;

-- name: StepFinish :exec
-- Ends a step and adds it to its turn and to the usage of its user.
WITH usage_booked AS (
    INSERT INTO user_token_usage AS u (user_id, day, model, session_key, calls, prompt_tokens, cached_tokens, completion_tokens)
    SELECT s.user_id, (now() AT TIME ZONE 'UTC')::date, sqlc.arg(model), s.key, 1,
           sqlc.arg(prompt_tokens)::int, sqlc.arg(cached_tokens)::int, sqlc.arg(completion_tokens)::int
    FROM turns t JOIN sessions s ON s.key = t.session_key
    WHERE t.id = sqlc.arg(turn_id) AND sqlc.arg(model)::text <> ''
    ON CONFLICT (user_id, day, model, session_key) DO UPDATE SET
        calls             = u.calls + 1,
        prompt_tokens     = u.prompt_tokens + EXCLUDED.prompt_tokens,
        cached_tokens     = u.cached_tokens + EXCLUDED.cached_tokens,
        completion_tokens = u.completion_tokens + EXCLUDED.completion_tokens
), lease_ended AS (
    DELETE FROM llm_leases WHERE llm_leases.turn_id = sqlc.arg(turn_id) AND llm_leases.step = sqlc.arg(step)
), step_done AS (
    UPDATE steps SET state = 'done', finish = sqlc.arg(finish), fault = sqlc.arg(fault), prompt_hash = sqlc.arg(prompt_hash), finished_at = now(),
        control_upto = sqlc.arg(control_upto), compaction_id = sqlc.narg(compaction_id), message_upto = sqlc.arg(message_upto),
        model = sqlc.arg(called), response_model = sqlc.arg(response_model), asked_at = sqlc.narg(asked_at), first_token_ms = sqlc.narg(first_token_ms), attempts = sqlc.arg(attempts),
        reminder = sqlc.arg(reminder), pruned = sqlc.arg(fill)::float8 > 0, fill = sqlc.arg(fill)::float8, pruned_upto = sqlc.arg(pruned_upto), pictures_from = sqlc.arg(pictures_from), pictures_skipped = sqlc.arg(pictures_skipped),
        request_hash = sqlc.arg(request_hash), request_bytes = sqlc.arg(request_bytes), estimated_tokens = sqlc.arg(estimated_tokens)
    WHERE steps.turn_id = sqlc.arg(turn_id) AND steps.step = sqlc.arg(step)
)
UPDATE turns SET
    steps             = turns.steps + 1,
    model             = CASE WHEN sqlc.arg(model)::text = '' THEN turns.model ELSE sqlc.arg(model)::text END,
    prompt_tokens     = turns.prompt_tokens + sqlc.arg(prompt_tokens)::int,
    cached_tokens     = turns.cached_tokens + sqlc.arg(cached_tokens)::int,
    completion_tokens = turns.completion_tokens + sqlc.arg(completion_tokens)::int
WHERE turns.id = sqlc.arg(turn_id);

-- name: StepAnyBegun :one
SELECT EXISTS (SELECT 1 FROM steps WHERE turn_id = $1);

-- name: PromptSave :exec
INSERT INTO prompts (hash, body) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING;

-- name: TurnOwner :one
-- Whether the user of a conversation was shut out.
SELECT u.disabled_at, u.halted_at FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.key = $1;
