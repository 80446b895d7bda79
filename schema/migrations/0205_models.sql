-- +goose Up
-- Models: subscriptions, usage, refusals, and leases of calls.

CREATE TABLE llm_subscriptions (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id    bigint      REFERENCES users ON DELETE CASCADE,
    name       text        NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9_-]{0,31}$'),
    provider   text        NOT NULL CHECK (provider IN ('openai', 'anthropic')),
    api_type   text        NOT NULL DEFAULT 'chat_completions' CHECK (api_type IN ('chat_completions', 'responses')),
    base_url   text        NOT NULL DEFAULT '',
    secrets    bytea,
    key_hint   text        NOT NULL DEFAULT '',
    models     jsonb       NOT NULL DEFAULT '[]',
    enabled    boolean     NOT NULL DEFAULT true,
    revision   bigint      NOT NULL DEFAULT 1,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    UNIQUE NULLS NOT DISTINCT (user_id, name)
);
COMMENT ON TABLE llm_subscriptions IS 'Accounts at providers of models, with the models that may be chosen. Written by /api/subscriptions and by commands.';
COMMENT ON COLUMN llm_subscriptions.user_id IS 'Whose it is; null: the installation''s, for everybody.';
COMMENT ON COLUMN llm_subscriptions.secrets IS 'The key, sealed with the installation''s; null: the provider needs none.';
COMMENT ON COLUMN llm_subscriptions.key_hint IS 'The end of the key, by which people know it again.';
-- A new revision, and not a key that was sealed anew.
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON llm_subscriptions
    FOR EACH ROW EXECUTE FUNCTION note_change('subscription', 'user_id', 'name', 'name provider api_type base_url models enabled', 'secrets', 'changed_by');

CREATE TABLE llm_subscriptions_version (
    one     boolean PRIMARY KEY DEFAULT true CHECK (one),
    version bigint  NOT NULL
);
COMMENT ON TABLE llm_subscriptions_version IS 'One row, which counts the changes of llm_subscriptions: processes keep what they read until it differs. Written in the transaction of each change.';
INSERT INTO llm_subscriptions_version (version) VALUES (1);

CREATE TABLE user_token_usage (
    user_id           bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    day               date   NOT NULL,
    model             text   NOT NULL,
    session_key       text   NOT NULL,
    calls             int    NOT NULL DEFAULT 0,
    prompt_tokens     bigint NOT NULL DEFAULT 0,
    cached_tokens     bigint NOT NULL DEFAULT 0,
    completion_tokens bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, day, model, session_key)
);
CREATE INDEX user_token_usage_by_session ON user_token_usage (session_key);
COMMENT ON TABLE user_token_usage IS 'Tokens as providers counted them, by day (UTC), model and session. Added to in the transaction that keeps what was paid for. Sessions that were deleted stay in the sums.';

CREATE TABLE token_ratios (
    model      text        PRIMARY KEY,
    ratio      float8      NOT NULL CHECK (ratio > 0),
    samples    int         NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE token_ratios IS 'What a model''s provider counts for one token of our estimate, learnt from its usage. Written by the generate activity.';

CREATE TABLE refused_tools (
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    model       text        NOT NULL,
    tool        text        NOT NULL,
    digest      text        NOT NULL,
    reason      text        NOT NULL,
    refused_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (session_key, model, tool)
);
COMMENT ON TABLE refused_tools IS 'Tools whose definition the provider of a model has refused in a conversation, which requests to that model leave out. Written by the step whose request was refused, with the notice to the person in the same transaction.';
COMMENT ON COLUMN refused_tools.digest IS 'SHA-256 of name, description and parameters as they were refused, hexadecimal. A tool with another one is offered again.';
COMMENT ON COLUMN refused_tools.reason IS 'The words of the provider, without keys.';

CREATE TABLE refused_requests (
    session_key  text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    model        text        NOT NULL,
    window_size  integer     NOT NULL,
    request_hash text        NOT NULL,
    refused_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (session_key, model)
);
COMMENT ON TABLE refused_requests IS 'The last request of a conversation that the provider of a model refused as too long, and what that says of the model''s context window. Written by the step whose request was refused.';
COMMENT ON COLUMN refused_requests.window_size IS 'Tokens that the model takes, as xbot estimates them; 0: only refusals of single requests are known, such as a body that is too large or a limit by the minute.';
COMMENT ON COLUMN refused_requests.request_hash IS 'SHA-256 of the request, hexadecimal: it is not sent again.';

CREATE VIEW session_tenants AS
SELECT s.key AS session_key, coalesce(tenant.id, s.user_id)::bigint AS user_id, s.chat_type = 'subagent' AS subagent,
       EXISTS (
           SELECT 1 FROM llm_subscriptions o
           WHERE o.user_id = s.user_id AND o.enabled AND o.name = split_part(
               coalesce(nullif(s.model, ''), (SELECT m.value FROM user_settings m WHERE m.user_id = s.user_id AND m.key = 'model'), ''), '/', 1)
       ) OR
       s.model = '' AND NOT EXISTS (SELECT 1 FROM user_settings c WHERE c.user_id = s.user_id AND c.key = 'llm_source' AND c.value = 'server')
       AND EXISTS (
           SELECT 1 FROM runners r
           WHERE r.user_id = s.user_id AND r.revoked_at IS NULL AND r.info -> 'llm' IS NOT NULL AND r.name NOT IN ('local', '__docker__')
             AND r.name = coalesce(nullif(s.runner, ''), (SELECT a.value FROM user_settings a WHERE a.user_id = s.user_id AND a.key = 'active_runner'), '')
       ) AS own
FROM sessions s
LEFT JOIN LATERAL (SELECT u.owner_id AS id FROM users u WHERE u.id = s.user_id AND u.kind = 'consumer') tenant ON true;
COMMENT ON VIEW session_tenants IS 'Whose limits hold for a conversation, for those of consumers the service''s, and whether it is answered by a model of its user''s own.';

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
DROP TABLE llm_leases;
DROP VIEW session_tenants;
DROP TABLE refused_requests, refused_tools, token_ratios, user_token_usage, llm_subscriptions_version, llm_subscriptions;
