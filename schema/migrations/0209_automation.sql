-- +goose Up
-- Automation: cron jobs, triggers, and hooks. At the end are the views that need them and the tables of turns.

CREATE TABLE cron_jobs (
    id           text        PRIMARY KEY CHECK (id ~ '^job_[0-9a-f]{8}$'),
    user_id      bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    made_by      text        NOT NULL DEFAULT '',
    home         text        NOT NULL DEFAULT '',
    agent        text        NOT NULL DEFAULT '',
    name         text        NOT NULL,
    message      text        NOT NULL,
    kind         text        NOT NULL CHECK (kind IN ('expr', 'every', 'at')),
    expr         text        NOT NULL DEFAULT '',
    every_s      bigint      NOT NULL DEFAULT 0,
    at           timestamptz,
    zone         text        NOT NULL,
    target       text        NOT NULL DEFAULT '',
    deliver      text        NOT NULL DEFAULT '',
    model        text        NOT NULL DEFAULT '',
    think        text        NOT NULL DEFAULT '',
    missed       text        NOT NULL CHECK (missed IN ('skip', 'once', 'all')),
    max_age_s    bigint      NOT NULL,
    jitter_s     bigint      NOT NULL DEFAULT 0,
    max_runs     int         NOT NULL DEFAULT 0,
    heartbeat    text        NOT NULL DEFAULT '',
    state        text        NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'done', 'deleted')),
    trouble      text        NOT NULL DEFAULT '',
    runs         int         NOT NULL DEFAULT 0,
    passed       bigint      NOT NULL DEFAULT 0,
    next_at      timestamptz,
    due_at       timestamptz,
    checked_at   timestamptz NOT NULL DEFAULT now(),
    revision     bigint      NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL DEFAULT now(),
    checks       int         NOT NULL DEFAULT 0,
    service_id   text        REFERENCES services ON DELETE CASCADE,
    conversation text        REFERENCES service_conversations ON DELETE CASCADE,
    permits      jsonb       NOT NULL DEFAULT '{}',
    CHECK ((state = 'active') = (next_at IS NOT NULL) AND (next_at IS NULL) = (due_at IS NULL)),
    CONSTRAINT cron_jobs_conversation_check CHECK (conversation IS NULL OR service_id IS NOT NULL AND target = conversation)
);
CREATE INDEX cron_jobs_by_user ON cron_jobs (user_id, created_at) WHERE state <> 'deleted';
CREATE INDEX cron_jobs_due ON cron_jobs (due_at) WHERE state = 'active';
CREATE UNIQUE INDEX cron_jobs_made_by ON cron_jobs (user_id, made_by) WHERE made_by <> '';
CREATE UNIQUE INDEX cron_jobs_heartbeat ON cron_jobs (heartbeat, user_id) WHERE heartbeat <> '' AND state <> 'deleted';
CREATE INDEX cron_jobs_over ON cron_jobs (user_id, checked_at DESC) WHERE state = 'done';
CREATE INDEX cron_jobs_by_service ON cron_jobs (service_id, created_at) WHERE service_id IS NOT NULL;
CREATE INDEX cron_jobs_by_conversation ON cron_jobs (conversation) WHERE conversation IS NOT NULL;
COMMENT ON TABLE cron_jobs IS 'What people, models and the policy want done at certain times. Written by the tool Cron, /cron and the API, and by each fire, which advances next_at in the transaction of its runs.';
COMMENT ON COLUMN cron_jobs.made_by IS 'Key of the call, command or request that made it, so that a repeated one finds it.';
COMMENT ON COLUMN cron_jobs.home IS 'Key of the conversation that it was made in; empty: the page, or the policy.';
COMMENT ON COLUMN cron_jobs.at IS 'The single time; of an interval, the instant that its times are counted from.';
COMMENT ON COLUMN cron_jobs.target IS 'Key of the conversation that is told; empty: cron:<id>, which begins anew at each run.';
COMMENT ON COLUMN cron_jobs.deliver IS 'Key of the conversation to whose place on a platform answers go; empty: to none.';
COMMENT ON COLUMN cron_jobs.heartbeat IS 'The agent of the policy whose heartbeat it is; empty: it is a job of a person.';
COMMENT ON COLUMN cron_jobs.passed IS 'Times that were missed and are not made up for.';
COMMENT ON COLUMN cron_jobs.next_at IS 'The time that comes next, which has not run. due_at is when it begins: by the jitter later.';
COMMENT ON COLUMN cron_jobs.checked_at IS 'When a relay last looked after a job that is overdue.';
COMMENT ON COLUMN cron_jobs.checks IS 'How often relays have looked after the job since it ran or was changed last: each time they wait twice as long, up to ten minutes.';
COMMENT ON COLUMN cron_jobs.service_id IS 'The service whose conversations are told; NULL: it is a job of the house. Its runs wait in line (cron_runs.lane).';
COMMENT ON COLUMN cron_jobs.conversation IS 'The conversation of that service that is told, and with which the job is deleted; NULL: all that there are when it fires.';
COMMENT ON COLUMN cron_jobs.permits IS 'What the job narrows in its own conversation, as internal/chat reads it (JobPermits); {}: nothing.';
-- A job that ends by itself was changed by nobody, and heartbeats follow the policy.
CREATE TRIGGER note_made AFTER INSERT ON cron_jobs
    FOR EACH ROW WHEN (NEW.heartbeat = '') EXECUTE FUNCTION note_change('schedule', 'user_id', 'name', 'name message kind expr every_s at zone target deliver model think missed max_runs state', '', '');
CREATE TRIGGER note_change AFTER UPDATE OF name, message, kind, expr, every_s, at, zone, target, deliver, model, think, missed, max_runs, state ON cron_jobs
    FOR EACH ROW WHEN (NEW.heartbeat = '' AND NEW.state <> 'done')
    EXECUTE FUNCTION note_change('schedule', 'user_id', 'name', 'name message kind expr every_s at zone target deliver model think missed max_runs state', '', '');

CREATE TABLE cron_firings (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id       text        NOT NULL REFERENCES cron_jobs ON DELETE CASCADE,
    key          text        NOT NULL,
    scheduled_at timestamptz NOT NULL,
    reason       text        NOT NULL CHECK (reason IN ('scheduled', 'missed', 'manual')),
    fired_at     timestamptz NOT NULL DEFAULT now(),
    after_at     timestamptz NOT NULL DEFAULT '-infinity',
    after_id     text        NOT NULL DEFAULT '',
    filled       boolean     NOT NULL DEFAULT false,
    UNIQUE (job_id, key)
);
CREATE INDEX cron_firings_open ON cron_firings (id) WHERE NOT filled;
COMMENT ON TABLE cron_firings IS 'One row a time of a job of a service. Written by the transaction that advances the job; the track then writes a run for each conversation that there was at fired_at, some at a time, and notes here how far it is.';
COMMENT ON COLUMN cron_firings.after_at IS 'When the last conversation was begun that has its run, with after_id, its id.';

CREATE TABLE cron_runs (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id       text        NOT NULL REFERENCES cron_jobs ON DELETE CASCADE,
    key          text        NOT NULL,
    scheduled_at timestamptz NOT NULL,
    reason       text        NOT NULL CHECK (reason IN ('scheduled', 'missed', 'manual')),
    session_key  text        NOT NULL,
    inbox_id     bigint      REFERENCES inbox ON DELETE SET NULL,
    skipped      text        NOT NULL DEFAULT '' CHECK (skipped IN ('', 'waiting', 'busy', 'hours', 'empty', 'disabled', 'gone', 'budget', 'revoked')),
    created_at   timestamptz NOT NULL DEFAULT now(),
    firing_id    bigint      REFERENCES cron_firings ON DELETE CASCADE,
    lane         text        NOT NULL DEFAULT '' CHECK (lane IN ('', 'queued', 'posted', 'over')),
    posted_at    timestamptz,
    ended_at     timestamptz,
    timed_out    boolean     NOT NULL DEFAULT false,
    UNIQUE (job_id, key),
    CONSTRAINT cron_runs_lane_check1 CHECK ((lane = '') = (firing_id IS NULL))
);
CREATE INDEX cron_runs_newest ON cron_runs (job_id, id DESC);
CREATE INDEX cron_runs_inbox ON cron_runs (inbox_id) WHERE inbox_id IS NOT NULL;
CREATE UNIQUE INDEX cron_runs_by_time ON cron_runs (job_id, scheduled_at) WHERE firing_id IS NULL;
CREATE UNIQUE INDEX cron_runs_by_firing ON cron_runs (firing_id, session_key) WHERE firing_id IS NOT NULL;
CREATE INDEX cron_runs_queued ON cron_runs (job_id, id) WHERE lane = 'queued';
CREATE INDEX cron_runs_posted ON cron_runs (session_key) WHERE lane = 'posted';
COMMENT ON TABLE cron_runs IS 'One row a run of a job, written by the transaction that tells its conversation; a time of a job is there once. What became of it is in inbox and turns.';
COMMENT ON COLUMN cron_runs.skipped IS 'Why nobody was told: waiting (the run before had not begun), busy (its person''s conversation was), hours (outside of those of the heartbeat), empty (there is nothing to look after). Empty: the conversation was told.';
COMMENT ON COLUMN cron_runs.lane IS 'Of a job of a service, which takes a place of the few there are: queued, posted (its message is in the conversation), over. Empty: a job of the house, whose message is posted with the row.';
COMMENT ON COLUMN cron_runs.timed_out IS 'It took longer than a run may, and its turn was asked to stop.';

CREATE VIEW cron_runs_in_line AS
SELECT r.id, r.job_id FROM cron_runs r
WHERE r.lane = 'queued' AND NOT EXISTS (SELECT 1 FROM service_conversations c WHERE c.session_key = r.session_key AND c.taken_by IS NOT NULL);
COMMENT ON VIEW cron_runs_in_line IS 'Runs that wait for a place in which they could run: those of a conversation that a person has taken wait until it is given back.';

CREATE TABLE service_track (
    one       boolean     PRIMARY KEY DEFAULT true CHECK (one),
    looked_at timestamptz NOT NULL DEFAULT '-infinity'
);
COMMENT ON TABLE service_track IS 'One row, which those lock who move the line of the jobs of services. looked_at says when the workflow of the track did, so that a relay begins it again where nobody does.';
INSERT INTO service_track DEFAULT VALUES;

-- +goose StatementBegin
CREATE FUNCTION cron_held(j cron_jobs) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN j.service_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM services s JOIN users a ON a.id = s.admin_id JOIN users o ON o.id = j.user_id
        WHERE s.id = j.service_id AND s.published AND s.deleted_at IS NULL AND a.role = 'admin' AND a.disabled_at IS NULL AND o.disabled_at IS NULL
          AND (o.role = 'admin' OR o.kind = 'consumer' AND s.definition -> 'capabilities' ? 'scheduler' AND EXISTS (
              SELECT FROM service_conversations c JOIN service_keys k ON k.id = c.key_id WHERE c.user_id = o.id AND k.revoked_at IS NULL))
    );
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION cron_held IS 'Whether a job of a service may not act now: the service is withdrawn, or its administrator or the owner of the job is shut out, or is no administrator any more, or the service has lost the capability scheduler that the jobs of its consumers need, or the key of such a consumer is revoked. Its times wait, and count as missed afterwards.';

CREATE TABLE triggers (
    id          text        PRIMARY KEY,
    user_id     bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    name        text        NOT NULL,
    source      text        NOT NULL CHECK (source IN ('github', 'gitlab', 'generic')),
    secret      bytea       NOT NULL,
    session_key text        NOT NULL,
    answer_in   text        NOT NULL DEFAULT '',
    template    text        NOT NULL DEFAULT '',
    one_shot    boolean     NOT NULL DEFAULT false,
    per_minute  int         NOT NULL CHECK (per_minute BETWEEN 1 AND 600),
    enabled     boolean     NOT NULL DEFAULT true,
    made_by     text        NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL DEFAULT now(),
    fired_at    timestamptz,
    refused_at  timestamptz,
    refused     text        NOT NULL DEFAULT '',
    UNIQUE (user_id, name)
);
COMMENT ON TABLE triggers IS 'Addresses under /hooks/ at which other programs call a conversation. Written by their owner (page, API, /trigger, the tool EventTrigger) and by calls.';
COMMENT ON COLUMN triggers.secret IS 'What calls are signed with, encrypted with the key of the installation: it is needed to verify them.';
COMMENT ON COLUMN triggers.session_key IS 'The conversation that is called: hook:<id>, which a call makes, or one of the owner''s, which has to be there.';
COMMENT ON COLUMN triggers.answer_in IS 'Session of the owner at whose place on a platform answers are delivered; empty: where the called conversation takes place.';
COMMENT ON COLUMN triggers.made_by IS 'What asked for it (a call of a tool, a command), so that a repeated one makes no second; empty: a person.';
COMMENT ON COLUMN triggers.refused IS 'Why a call was refused last, for the owner; at most one is noted in a second.';
-- A trigger that is used up was switched off by nobody. Its secret alone is written when it is sealed anew.
CREATE TRIGGER note_made AFTER INSERT OR DELETE ON triggers
    FOR EACH ROW EXECUTE FUNCTION note_change('trigger', 'user_id', 'name', 'name source session_key answer_in template one_shot per_minute enabled', 'secret', '');
CREATE TRIGGER note_change AFTER UPDATE OF name, session_key, answer_in, template, one_shot, per_minute, enabled ON triggers
    FOR EACH ROW WHEN (NEW.fired_at IS NOT DISTINCT FROM OLD.fired_at)
    EXECUTE FUNCTION note_change('trigger', 'user_id', 'name', 'name session_key answer_in template one_shot per_minute enabled', 'secret', '');

CREATE TABLE trigger_deliveries (
    trigger_id  text        NOT NULL REFERENCES triggers ON DELETE CASCADE,
    key         text        NOT NULL,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    event       text        NOT NULL DEFAULT '',
    bytes       int         NOT NULL,
    note        text        NOT NULL DEFAULT '',
    inbox_id    bigint      NOT NULL,
    repeats     int         NOT NULL DEFAULT 0,
    PRIMARY KEY (trigger_id, key)
);
CREATE INDEX trigger_deliveries_newest ON trigger_deliveries (trigger_id, received_at DESC);
COMMENT ON TABLE trigger_deliveries IS 'Calls that were accepted, each in the transaction of its inbox row. They are kept as long as their trigger, since the same key must be known again at any distance in time.';
COMMENT ON COLUMN trigger_deliveries.key IS 'The id that the sender gave the delivery, or a hash of what it sent.';
COMMENT ON COLUMN trigger_deliveries.inbox_id IS 'The row that told the conversation; it may be gone with it.';

CREATE TABLE hook_outcomes (
    id           text        PRIMARY KEY,
    session_key  text        NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    turn_id      text        NOT NULL,
    event        text        NOT NULL,
    decision     text        NOT NULL CHECK (decision IN ('allow', 'ask', 'defer', 'deny')),
    reason       text        NOT NULL DEFAULT '',
    context      text        NOT NULL DEFAULT '',
    notes        text[]      NOT NULL DEFAULT '{}',
    message_upto bigint      NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX hook_outcomes_newest ON hook_outcomes (created_at DESC);
CREATE INDEX hook_outcomes_of_turn ON hook_outcomes (turn_id);
CREATE INDEX hook_outcomes_of_session ON hook_outcomes (session_key);
COMMENT ON TABLE hook_outcomes IS 'What hooks said to an event, one row an event: the first that is recorded counts. Written by the activity Consult in the transaction that acts on it.';
COMMENT ON COLUMN hook_outcomes.message_upto IS 'Of events about what a turn has claimed: the newest message that the hooks were told of.';

CREATE VIEW session_places AS
SELECT s.key AS session_key, jsonb_strip_nulls(jsonb_build_object(
    'channel', at.channel, 'account', coalesce(at.origin ->> 'account_id', ''), 'chat_type', at.chat_type, 'scene', at.scene, 'job', nullif(j.permits, '{}'))) AS place
FROM (SELECT o.key, coalesce(nullif(o.root, ''), o.key) AS top FROM sessions o) s
LEFT JOIN cron_jobs j ON starts_with(s.top, 'cron:') AND j.id = substr(s.top, length('cron:') + 1)
LEFT JOIN triggers t ON starts_with(s.top, 'hook:') AND t.id = substr(s.top, length('hook:') + 1)
LEFT JOIN sessions made ON made.key = coalesce(nullif(j.home, ''), nullif(t.answer_in, ''), s.top)
JOIN sessions at ON at.key = coalesce(nullif(made.root, ''), made.key, s.top);
COMMENT ON VIEW session_places IS 'Where a session takes place, as internal/chat reads it (Spot): itself, for a subagent the session above all, for the own session of a job the one in which the job was made, for that of a trigger the one in which it answers; and what the job narrows.';

-- The function stays for workers of an earlier version, which run beside newer ones until their turns have ended.
-- +goose StatementBegin
CREATE FUNCTION place_of(key text) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT p.place FROM session_places p WHERE p.session_key = $1);
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION place_of IS 'Where a session takes place, as internal/chat reads it (Spot): itself, for a subagent the session above all, for the own session of a job the one that it was made in, for that of a trigger the one that it answers in. What a scene narrows is narrow in all of them.';

CREATE VIEW session_permits AS
SELECT s.key AS session_key, jsonb_build_object(
    'admin', u.role = 'admin' AND u.kind = 'person',
    'outside', u.kind IN ('service', 'consumer'),
    'here', coalesce(nullif(top.preset, ''), s.preset),
    'own', coalesce((SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'preset'), ''),
    'cwd', CASE WHEN s.cwd_runner = '' OR s.cwd_runner = coalesce(
        nullif(s.runner, ''), (SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'active_runner'), s.cwd_runner) THEN s.cwd ELSE '' END,
    'at', (SELECT p.place FROM session_places p WHERE p.session_key = s.key),
    'planning', EXISTS (SELECT 1 FROM turns t WHERE t.session_key = s.key AND t.state = 'running' AND t.plan = 'wanted'),
    'rules', coalesce((
        SELECT jsonb_agg(jsonb_build_object('tool', p.tool, 'pattern', p.pattern, 'rule', p.rule, 'pin', p.pin) ORDER BY p.tool, p.pattern)
        FROM tool_permissions p WHERE p.user_id = u.id
    ), '[]')) AS permits
FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN sessions top ON top.key = s.root;
COMMENT ON VIEW session_permits IS 'What the user of a session wants of its tools, as internal/chat reads it (Permits): their rules, their preset, that of the session, which for a subagent is the one of the session above all, where the conversation above all takes place, and whether the running turn wants a plan first.';

-- The function stays for workers of an earlier version, which run beside newer ones until their turns have ended.
-- +goose StatementBegin
CREATE FUNCTION permits_of(key text) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT p.permits FROM session_permits p WHERE p.session_key = $1);
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION permits_of IS 'What the user of a session wants of its tools, as internal/chat reads it (Permits): their rules, their preset, that of the session, which for a subagent is the one of the session above all, where the conversation above all takes place, and whether the running turn wants a plan first.';

-- +goose Down
DROP FUNCTION permits_of;
DROP VIEW session_permits;
DROP FUNCTION place_of;
DROP VIEW session_places;
DROP TABLE hook_outcomes, trigger_deliveries, triggers;
DROP FUNCTION cron_held;
DROP TABLE service_track;
DROP VIEW cron_runs_in_line;
DROP TABLE cron_runs, cron_firings, cron_jobs;
