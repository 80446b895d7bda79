-- name: RelayDue :one
-- What may be due, so that a relay with nothing to do asks once. Each column stands before one statement of the relay and is true
-- wherever that statement would find a row; it may be true where it finds none, since it leaves conditions out. That
-- statement decides. A column is named after what it is about, with its statement behind it.
SELECT
    (EXISTS (SELECT 1 FROM inbox i WHERE i.outcome IS NULL AND i.kind <> 'command'
        AND i.woken_at < now() - least(interval '60 seconds', interval '2 seconds' * power(2, least(i.wakes, 5)))))::boolean AS messages, -- InboxToWake
    (EXISTS (SELECT 1 FROM tool_calls c WHERE c.answer_woken_at < now() - interval '2 seconds'))::boolean AS answers, -- ApprovalToWake
    (EXISTS (SELECT 1 FROM subagent_tasks t WHERE t.woken_at < now() - interval '2 seconds'))::boolean AS reports, -- SubagentToWake
    (EXISTS (SELECT 1 FROM turns t WHERE t.state = 'running' AND t.checked_at < now() - sqlc.arg(check_after)::interval))::boolean AS turns, -- TurnToCheck
    (EXISTS (SELECT 1 FROM inbox i WHERE i.outcome IS NULL AND i.throttled_at IS NOT NULL))::boolean AS throttled, -- SlotLine, SlotUntold
    (EXISTS (SELECT 1 FROM inbox i WHERE i.outcome IS NULL AND i.kind IN ('message', 'background', 'control')
        AND i.held_told_at IS NULL AND i.accepted_at < now() - sqlc.arg(held_after)::interval))::boolean AS held, -- InboxHeld
    (EXISTS (SELECT 1 FROM inbox i WHERE i.outcome IS NULL AND i.kind = 'command'
        AND i.woken_at < now() - least(interval '60 seconds', interval '2 seconds' * power(2, least(i.wakes, 5)))))::boolean AS commands, -- CommandToStart
    (EXISTS (SELECT 1 FROM inbox i WHERE i.outcome IS NULL AND i.kind <> 'command' AND i.files_until > now()
        AND i.woken_at < now() - least(interval '60 seconds', interval '2 seconds' * power(2, least(i.wakes, 5)))))::boolean AS files, -- FilesToFetch
    (EXISTS (SELECT 1 FROM background_tasks t WHERE t.state = 'running' AND t.checked_at < now() - sqlc.arg(follow_after)::interval))::boolean AS tasks, -- TaskToStart
    (EXISTS (SELECT 1 FROM outbound o WHERE o.state = 'waiting' AND o.woken_at < now() - interval '2 seconds'))::boolean AS outbound, -- OutboundToWake
    (EXISTS (SELECT 1 FROM turns t WHERE t.state = 'running' AND t.deliver AND t.started_at < now() - sqlc.arg(show_after)::interval
        AND NOT EXISTS (SELECT 1 FROM progress_cards c WHERE c.turn_id = t.id)) -- ProgressBegin
     OR EXISTS (SELECT 1 FROM progress_cards c WHERE c.state = 'waiting'
        AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.id = c.turn_id AND t.state = 'running'))
     OR EXISTS (SELECT 1 FROM progress_cards c WHERE c.state IN ('waiting', 'tried', 'shown') AND c.woken_at <= now()
        AND (c.retry_at IS NULL OR c.retry_at <= now())))::boolean AS progress, -- ProgressToWake
    (EXISTS (SELECT 1 FROM cron_jobs j WHERE j.state = 'active' AND j.due_at < now() - interval '2 seconds'
        AND j.checked_at < now() - interval '5 seconds' * (1 << least(j.checks, 7)) AND NOT cron_held(j)))::boolean AS jobs, -- CronOverdue
    ((EXISTS (SELECT 1 FROM cron_firings f WHERE NOT f.filled) OR EXISTS (SELECT 1 FROM cron_runs r WHERE r.lane IN ('queued', 'posted')))
     AND EXISTS (SELECT 1 FROM service_track k WHERE k.looked_at < now() - interval '40 seconds'))::boolean AS track, -- TrackToWake
    (EXISTS (SELECT 1 FROM group_chats g WHERE g.ended = '' AND g.checked_at < now() - interval '5 seconds'))::boolean AS groups, -- GroupsToStart
    (EXISTS (SELECT 1 FROM memorize_jobs j WHERE j.state = 'waiting' AND j.checked_at < now() - sqlc.arg(memorize_after)::interval))::boolean AS memorizing, -- MemorizeJobToStart
    (EXISTS (SELECT 1 FROM deletions d WHERE d.ended_at IS NULL AND d.checked_at < now() - sqlc.arg(deletion_after)::interval))::boolean AS deletions, -- DeletionToStart
    (EXISTS (SELECT 1 FROM storage_migrations m WHERE m.state = 'running' AND m.checked_at < now() - sqlc.arg(migration_after)::interval))::boolean AS migrations, -- StorageMigrationsToStart
    (EXISTS (SELECT 1 FROM turns t JOIN sessions s ON s.key = t.session_key JOIN users u ON u.id = s.user_id
        WHERE t.state = 'running' AND (u.disabled_at IS NOT NULL OR t.started_at <= u.halted_at))
     OR EXISTS (SELECT 1 FROM inbox i JOIN sessions s ON s.key = i.session_key JOIN users u ON u.id = s.user_id
        WHERE i.kind IN ('message', 'control') AND i.outcome IS NULL AND (u.disabled_at IS NOT NULL OR i.accepted_at <= u.halted_at))
     OR EXISTS (SELECT 1 FROM inbox i JOIN users u ON u.id = i.user_id
        WHERE i.kind IN ('message', 'background', 'control') AND i.outcome IS NULL AND u.disabled_at IS NOT NULL))::boolean AS disabled, -- AccountWork, InboxDropDisabled
    -- for the metrics, as SlotTenants, WaitCount and LeaseTenants count
    (SELECT count(*) FROM turns t WHERE t.state = 'running' AND t.waits_since IS NULL)::int AS running,
    (SELECT count(*) FROM turns t WHERE t.state = 'running' AND t.waits_since IS NOT NULL)::int AS without_provider,
    calls.held AS calls_running, calls.asked AS calls_waiting
FROM (
    SELECT count(*) FILTER (WHERE l.held_until > clock_timestamp())::int AS held,
           count(*) FILTER (WHERE l.held_until IS NULL AND l.asks_at > clock_timestamp() - interval '5 seconds')::int AS asked
    FROM llm_leases l
) calls;

-- name: RelayEndBackOff :exec
-- What waits for its next wake, or for the next look at it, is due at once: the pauses grew because Temporal was away, and not because a workflow
-- does not act on its wakes. Running turns and tasks keep the time for which they are trusted.
WITH messages AS (
    UPDATE inbox SET wakes = 0, woken_at = now() - interval '1 minute' WHERE inbox.outcome IS NULL AND inbox.wakes > 0
), answers AS (
    UPDATE tool_calls SET answer_woken_at = tool_calls.answered_at WHERE tool_calls.answer_woken_at > tool_calls.answered_at
), reports AS (
    UPDATE subagent_tasks SET woken_at = subagent_tasks.ended_at WHERE subagent_tasks.woken_at > subagent_tasks.ended_at
), deliveries AS (
    UPDATE outbound SET woken_at = now() - interval '1 minute' WHERE outbound.state = 'waiting' AND outbound.woken_at > now()
), progress AS (
    UPDATE progress_cards SET woken_at = now() WHERE progress_cards.state IN ('waiting', 'tried', 'shown') AND progress_cards.woken_at > now()
), jobs AS (
    UPDATE cron_jobs SET checks = 0, checked_at = now() - interval '1 minute'
    WHERE cron_jobs.state = 'active' AND cron_jobs.due_at < now() AND cron_jobs.checks > 0
), track AS (
    UPDATE service_track SET looked_at = now() - interval '1 minute'
), groups AS (
    UPDATE group_chats SET checked_at = now() - interval '1 minute' WHERE group_chats.ended = ''
), memorizing AS (
    UPDATE memorize_jobs SET checked_at = now() - interval '1 minute' WHERE memorize_jobs.state = 'waiting'
)
UPDATE deletions SET checked_at = now() - interval '2 minutes' WHERE deletions.ended_at IS NULL;
