-- +goose Up
CREATE VIEW session_tenants AS
SELECT s.key AS session_key, s.user_id, s.key LIKE 'agent:%:subagent:%' AS subagent,
       s.model = '' AND NOT EXISTS (SELECT 1 FROM user_settings c WHERE c.user_id = s.user_id AND c.key = 'llm_source' AND c.value = 'server')
       AND EXISTS (
           SELECT 1 FROM runners r
           WHERE r.user_id = s.user_id AND r.revoked_at IS NULL AND r.info -> 'llm' IS NOT NULL AND r.name NOT IN ('local', '__docker__')
             AND r.name = coalesce(nullif(s.runner, ''), (SELECT a.value FROM user_settings a WHERE a.user_id = s.user_id AND a.key = 'active_runner'), '')
       ) AS own
FROM sessions s;
COMMENT ON VIEW session_tenants IS 'Whose limits hold for a conversation, and whether it is answered by a model of its user''s own runner.';

CREATE VIEW turn_slots AS
SELECT t.session_key FROM turns t WHERE t.state = 'running'
UNION
SELECT i.session_key FROM inbox i WHERE i.outcome IS NULL AND i.throttled_at IS NOT NULL AND i.granted_until > clock_timestamp();
COMMENT ON VIEW turn_slots IS 'Conversations that have a turn, or for which a freed one is kept.';

ALTER TABLE inbox ADD COLUMN throttle_told_at timestamptz;
COMMENT ON COLUMN inbox.throttle_told_at IS 'The person was told, in words, that it waits for a free turn.';

CREATE TABLE tenants_served (
    user_id    bigint      PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    granted_at timestamptz NOT NULL
);
COMMENT ON TABLE tenants_served IS 'When somebody who waited in line was handed a turn last: among those with as many turns, who was served longest ago is next. Written by whoever hands out turns.';

CREATE TABLE llm_leases (
    turn_id    text        NOT NULL REFERENCES turns ON DELETE CASCADE,
    step       int         NOT NULL,
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    pool       text        NOT NULL CHECK (pool IN ('global', 'personal', 'subagent')),
    ticket     bigint      GENERATED ALWAYS AS IDENTITY,
    asked_at   timestamptz NOT NULL,
    asks_at    timestamptz NOT NULL,
    held_until timestamptz,
    PRIMARY KEY (turn_id, step)
);
CREATE INDEX llm_leases_by_tenant ON llm_leases (user_id, pool);
COMMENT ON TABLE llm_leases IS 'Calls to models that run or wait, bounded for each tenant and pool. Written when a step begins and renewed while its call lasts (held_until); removed with the end of the step, its failure or the end of the turn. One that waits (held_until NULL) keeps its ticket and asks again at asks_at.';

-- +goose StatementBegin
CREATE FUNCTION llm_lease_take(of_turn text, of_step int, most_global int, most_personal int, most_subagent int, lease interval) RETURNS int
LANGUAGE plpgsql AS $$
-- Takes the lease of a call, or its place among those who wait: returns 0, or in how many milliseconds to ask again.
-- Who has waited for a second is passed by nobody; before that, by calls that come while it is not about to ask.
DECLARE
    tenant bigint;
    kind   text;
    most   int;
    mine   llm_leases;
    ahead  int;
    pause  int;
    at     timestamptz;
BEGIN
    SELECT st.user_id, CASE WHEN st.subagent THEN 'subagent' WHEN st.own THEN 'personal' ELSE 'global' END INTO tenant, kind
    FROM turns t JOIN session_tenants st ON st.session_key = t.session_key
    WHERE t.id = of_turn;
    IF tenant IS NULL THEN
        RETURN 0; -- the turn is gone, and the caller finds that out
    END IF;
    most := CASE kind WHEN 'subagent' THEN most_subagent WHEN 'personal' THEN most_personal ELSE most_global END;
    PERFORM pg_advisory_xact_lock(714002, (tenant % 2147483647)::int);
    at := clock_timestamp();
    INSERT INTO llm_leases AS l (turn_id, step, user_id, pool, asked_at, asks_at) VALUES (of_turn, of_step, tenant, kind, at, at)
    ON CONFLICT (turn_id, step) DO UPDATE SET asks_at = at, pool = kind, held_until = CASE WHEN l.held_until > at THEN l.held_until END
    RETURNING * INTO mine;
    SELECT count(*) INTO ahead FROM llm_leases l
    WHERE l.user_id = tenant AND l.pool = kind AND l.ticket <> mine.ticket
      AND (l.held_until > at OR l.held_until IS NULL AND l.ticket < mine.ticket AND l.asks_at > at - interval '5 seconds'
           AND (l.asks_at < at + interval '50 milliseconds' OR l.asked_at < at - interval '1 second'));
    IF mine.held_until IS NOT NULL OR ahead < most THEN
        UPDATE llm_leases l SET held_until = at + lease WHERE l.turn_id = of_turn AND l.step = of_step;
        RETURN 0;
    END IF;
    pause := least(2000, 200 * (1 + (ahead - most) / most));
    pause := pause + (random() * pause / 4)::int;
    UPDATE llm_leases l SET asks_at = at + pause * interval '1 millisecond' WHERE l.turn_id = of_turn AND l.step = of_step;
    RETURN pause;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION llm_lease_take;
DROP TABLE llm_leases, tenants_served;
ALTER TABLE inbox DROP COLUMN throttle_told_at;
DROP VIEW turn_slots, session_tenants;
