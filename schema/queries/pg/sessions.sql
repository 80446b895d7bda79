-- name: EventAppend :one
-- Raises the sequence of the session and writes its events under it, last in a transaction, so that a reader never sees
-- a larger sequence before a smaller one. touch notes that a person wrote, spoken that it
-- was to the agent, which brings back what was archived. Returns the sequence of the last event, and the conversation that the session works
-- for: of a subagent that at the top of its tree, of a job's own conversation that in which the job was made; empty for any other.
-- Where the session is gone the events violate their reference to it: the commit goes in the same round trip, and must not succeed.
WITH session AS (
    UPDATE sessions SET
        feed_seq            = feed_seq + cardinality(sqlc.arg(kinds)::text[]),
        last_interaction_at = CASE WHEN sqlc.arg(touch)::boolean THEN now() ELSE last_interaction_at END,
        shelf               = CASE WHEN sqlc.arg(spoken)::boolean AND shelf = 'archived' THEN '' ELSE shelf END
    WHERE key = sqlc.arg(session_key)
    RETURNING key, feed_seq, root
), added AS (
    INSERT INTO feed_events (session_key, seq, kind, data)
    SELECT sqlc.arg(session_key), coalesce(session.feed_seq - cardinality(sqlc.arg(kinds)::text[]), 0) + k.i, k.kind, d.data::jsonb
    FROM unnest(sqlc.arg(kinds)::text[]) WITH ORDINALITY AS k(kind, i)
         JOIN unnest(sqlc.arg(datas)::text[]) WITH ORDINALITY AS d(data, i) ON d.i = k.i
         LEFT JOIN session ON true
)
SELECT CASE WHEN starts_with(key, 'cron:') THEN coalesce((SELECT j.home FROM cron_jobs j WHERE j.id = substr(key, length('cron:') + 1)), '')
            ELSE root END::text AS works_for, feed_seq
FROM session;
