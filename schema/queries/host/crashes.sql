-- name: CrashAdd :exec
-- Crashes by another version, and those of more than a day ago, begin again, and so do kills after an hour.
INSERT INTO crashed_attempts AS c (workflow_id, activity, input, run_id, version, crashes, alone, kills, cause, journal)
VALUES (sqlc.arg(workflow_id), sqlc.arg(activity), sqlc.arg(input), sqlc.arg(run_id), sqlc.arg(version), sqlc.arg(crashes), sqlc.arg(alone), sqlc.arg(kills), sqlc.arg(cause), sqlc.arg(journal))
ON CONFLICT (workflow_id, activity, input) DO UPDATE SET
    run_id = EXCLUDED.run_id, version = EXCLUDED.version, journal = EXCLUDED.journal,
    last_at = CASE WHEN EXCLUDED.crashes > 0 OR c.version <> EXCLUDED.version THEN now() ELSE c.last_at END,
    killed_at = CASE WHEN EXCLUDED.kills > 0 THEN now() ELSE c.killed_at END,
    crashes = EXCLUDED.crashes + CASE WHEN c.version = EXCLUDED.version AND c.last_at > now() - interval '1 day' THEN c.crashes ELSE 0 END,
    alone = EXCLUDED.alone + CASE WHEN c.version = EXCLUDED.version AND c.last_at > now() - interval '1 day' THEN c.alone ELSE 0 END,
    kills = EXCLUDED.kills + CASE WHEN c.version = EXCLUDED.version AND c.killed_at > now() - interval '1 hour' THEN c.kills ELSE 0 END,
    cause = CASE WHEN EXCLUDED.crashes > 0 THEN EXCLUDED.cause ELSE c.cause END,
    given_up_at = CASE WHEN c.version = EXCLUDED.version AND c.last_at > now() - interval '1 day' THEN c.given_up_at END
WHERE c.journal <> EXCLUDED.journal;

-- name: CrashGet :one
SELECT * FROM crashed_attempts
WHERE workflow_id = $1 AND activity = $2 AND input = $3 AND version = $4 AND greatest(last_at, killed_at) > now() - interval '1 day' AND crashes + kills > 0;

-- name: CrashList :many
SELECT * FROM crashed_attempts WHERE version = $1 AND greatest(last_at, killed_at) > now() - interval '1 day' AND crashes + kills > 0
ORDER BY last_at DESC LIMIT 10000;

-- name: CrashListGivenUp :many
-- For operators, of all versions.
SELECT * FROM crashed_attempts WHERE given_up_at > now() - interval '1 day'
ORDER BY given_up_at DESC LIMIT 20;

-- name: CrashForget :exec
-- Calls that were given up are kept for operators.
WITH known AS (
    DELETE FROM crashed_attempts c WHERE c.workflow_id = $1 AND c.activity = $2 AND c.input = $3 AND c.given_up_at IS NULL
)
UPDATE crashed_attempts c SET crashes = 0, alone = 0, kills = 0
WHERE c.workflow_id = $1 AND c.activity = $2 AND c.input = $3 AND c.given_up_at IS NOT NULL;

-- name: CrashForgive :exec
-- Lets a call with the same input run again after its ending, once a day: the first time that the call was given up is kept, so that it is before the
-- last crash if the call was given up again.
UPDATE crashed_attempts SET crashes = 0, alone = 0, kills = 0
WHERE workflow_id = $1 AND activity = $2 AND input = $3 AND given_up_at >= greatest(last_at, killed_at);

-- name: CrashGiveUp :exec
UPDATE crashed_attempts SET given_up_at = coalesce(given_up_at, now()) WHERE workflow_id = $1 AND activity = $2 AND input = $3;

-- name: CrashPrune :exec
DELETE FROM crashed_attempts WHERE greatest(last_at, killed_at) < now() - interval '8 days';
