-- +goose Up
ALTER TABLE cron_jobs ADD COLUMN service_id text REFERENCES services ON DELETE CASCADE;
ALTER TABLE cron_jobs ADD COLUMN conversation text REFERENCES service_conversations ON DELETE CASCADE;
ALTER TABLE cron_jobs ADD CONSTRAINT cron_jobs_conversation_check CHECK (conversation IS NULL OR service_id IS NOT NULL AND target = conversation);
CREATE INDEX cron_jobs_by_service ON cron_jobs (service_id, created_at) WHERE service_id IS NOT NULL;
CREATE INDEX cron_jobs_by_conversation ON cron_jobs (conversation) WHERE conversation IS NOT NULL;
COMMENT ON COLUMN cron_jobs.service_id IS 'The service whose conversations are told; NULL: it is a job of the house. Its runs wait in line (cron_runs.lane).';
COMMENT ON COLUMN cron_jobs.conversation IS 'The conversation of that service that is told, and with which the job is deleted; NULL: all that there are when it fires.';

ALTER TABLE cron_jobs ADD COLUMN permits jsonb NOT NULL DEFAULT '{}';
COMMENT ON COLUMN cron_jobs.permits IS 'What the job narrows in its own conversation, as internal/chat reads it (JobPermits); {}: nothing.';

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

ALTER TABLE cron_runs DROP CONSTRAINT cron_runs_job_id_scheduled_at_key;
ALTER TABLE cron_runs DROP CONSTRAINT cron_runs_skipped_check;
ALTER TABLE cron_runs ADD CONSTRAINT cron_runs_skipped_check CHECK (skipped IN ('', 'waiting', 'busy', 'hours', 'empty', 'disabled', 'gone'));
ALTER TABLE cron_runs ADD COLUMN firing_id bigint REFERENCES cron_firings ON DELETE CASCADE;
ALTER TABLE cron_runs ADD COLUMN lane text NOT NULL DEFAULT '' CHECK (lane IN ('', 'queued', 'posted', 'over'));
ALTER TABLE cron_runs ADD COLUMN posted_at timestamptz;
ALTER TABLE cron_runs ADD COLUMN ended_at timestamptz;
ALTER TABLE cron_runs ADD COLUMN timed_out boolean NOT NULL DEFAULT false;
ALTER TABLE cron_runs ADD CONSTRAINT cron_runs_lane_check1 CHECK ((lane = '') = (firing_id IS NULL));
CREATE UNIQUE INDEX cron_runs_by_time ON cron_runs (job_id, scheduled_at) WHERE firing_id IS NULL;
CREATE UNIQUE INDEX cron_runs_by_firing ON cron_runs (firing_id, session_key) WHERE firing_id IS NOT NULL;
CREATE INDEX cron_runs_queued ON cron_runs (job_id, id) WHERE lane = 'queued';
CREATE INDEX cron_runs_posted ON cron_runs (session_key) WHERE lane = 'posted';
COMMENT ON COLUMN cron_runs.lane IS 'Of a job of a service, which takes a place of the few there are: queued, posted (its message is in the conversation), over. Empty: a job of the house, whose message is posted with the row.';
COMMENT ON COLUMN cron_runs.timed_out IS 'It took longer than a run may, and its turn was asked to stop.';

CREATE TABLE service_track (
    one       boolean     PRIMARY KEY DEFAULT true CHECK (one),
    looked_at timestamptz NOT NULL DEFAULT '-infinity'
);
COMMENT ON TABLE service_track IS 'One row, which those lock who move the line of the jobs of services. looked_at says when the workflow of the track did, so that a relay begins it again where nobody does.';
INSERT INTO service_track DEFAULT VALUES;

-- +goose StatementBegin
CREATE FUNCTION cron_held(j cron_jobs) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT j.service_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM services s JOIN users a ON a.id = s.admin_id JOIN users o ON o.id = j.user_id
        WHERE s.id = j.service_id AND s.published AND s.deleted_at IS NULL AND a.disabled_at IS NULL AND o.disabled_at IS NULL
          AND (o.role = 'admin' OR o.kind = 'consumer' AND s.definition -> 'capabilities' ? 'scheduler')
    )
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION cron_held IS 'Whether a job of a service may not act now: the service is withdrawn, or its administrator or the owner of the job is shut out, or is no administrator any more, or the service has lost the capability scheduler that the jobs of its consumers need. Its times wait, and count as missed afterwards.';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION place_of(key text) RETURNS jsonb LANGUAGE sql STABLE AS $$
    WITH above AS (
        SELECT coalesce(nullif(s.root, ''), s.key) AS key FROM sessions s WHERE s.key = $1
    ), maker AS (
        SELECT coalesce(nullif(CASE
            WHEN starts_with(a.key, 'cron:') THEN (SELECT j.home FROM cron_jobs j WHERE j.id = substr(a.key, length('cron:') + 1))
            WHEN starts_with(a.key, 'hook:') THEN (SELECT t.answer_in FROM triggers t WHERE t.id = substr(a.key, length('hook:') + 1))
        END, ''), a.key) AS key FROM above a
    )
    SELECT jsonb_strip_nulls(jsonb_build_object('channel', at.channel, 'account', coalesce(at.origin ->> 'account_id', ''), 'chat_type', at.chat_type, 'scene', at.scene,
        'job', (SELECT nullif(j.permits, '{}') FROM above a JOIN cron_jobs j ON a.key = 'cron:' || j.id)))
    FROM maker m
    LEFT JOIN sessions made ON made.key = m.key
    JOIN sessions at ON at.key = coalesce(nullif(made.root, ''), made.key, (SELECT a.key FROM above a))
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION place_of(key text) RETURNS jsonb LANGUAGE sql STABLE AS $$
    WITH above AS (
        SELECT coalesce(nullif(s.root, ''), s.key) AS key FROM sessions s WHERE s.key = $1
    ), maker AS (
        SELECT coalesce(nullif(CASE
            WHEN starts_with(a.key, 'cron:') THEN (SELECT j.home FROM cron_jobs j WHERE j.id = substr(a.key, length('cron:') + 1))
            WHEN starts_with(a.key, 'hook:') THEN (SELECT t.answer_in FROM triggers t WHERE t.id = substr(a.key, length('hook:') + 1))
        END, ''), a.key) AS key FROM above a
    )
    SELECT jsonb_build_object('channel', at.channel, 'account', coalesce(at.origin ->> 'account_id', ''), 'chat_type', at.chat_type, 'scene', at.scene)
    FROM maker m
    LEFT JOIN sessions made ON made.key = m.key
    JOIN sessions at ON at.key = coalesce(nullif(made.root, ''), made.key, (SELECT a.key FROM above a))
$$;
-- +goose StatementEnd
DROP FUNCTION cron_held;
DROP TABLE service_track;
DELETE FROM cron_jobs WHERE service_id IS NOT NULL;
DROP INDEX cron_runs_by_time, cron_runs_by_firing, cron_runs_queued, cron_runs_posted;
ALTER TABLE cron_runs DROP CONSTRAINT cron_runs_lane_check1;
ALTER TABLE cron_runs DROP COLUMN firing_id, DROP COLUMN lane, DROP COLUMN posted_at, DROP COLUMN ended_at, DROP COLUMN timed_out;
DELETE FROM cron_runs WHERE skipped IN ('disabled', 'gone');
ALTER TABLE cron_runs DROP CONSTRAINT cron_runs_skipped_check;
ALTER TABLE cron_runs ADD CONSTRAINT cron_runs_skipped_check CHECK (skipped IN ('', 'waiting', 'busy', 'hours', 'empty'));
ALTER TABLE cron_runs ADD CONSTRAINT cron_runs_job_id_scheduled_at_key UNIQUE (job_id, scheduled_at);
DROP TABLE cron_firings;
ALTER TABLE cron_jobs DROP COLUMN conversation, DROP COLUMN service_id, DROP COLUMN permits;
