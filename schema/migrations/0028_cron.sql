-- +goose Up
CREATE TABLE cron_jobs (
    id         text        PRIMARY KEY CHECK (id ~ '^job_[0-9a-f]{8}$'),
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    made_by    text        NOT NULL DEFAULT '',
    home       text        NOT NULL DEFAULT '',
    agent      text        NOT NULL DEFAULT '',
    name       text        NOT NULL,
    message    text        NOT NULL,
    kind       text        NOT NULL CHECK (kind IN ('expr', 'every', 'at')),
    expr       text        NOT NULL DEFAULT '',
    every_s    bigint      NOT NULL DEFAULT 0,
    at         timestamptz,
    zone       text        NOT NULL,
    target     text        NOT NULL DEFAULT '',
    deliver    text        NOT NULL DEFAULT '',
    model      text        NOT NULL DEFAULT '',
    think      text        NOT NULL DEFAULT '',
    missed     text        NOT NULL CHECK (missed IN ('skip', 'once', 'all')),
    max_age_s  bigint      NOT NULL,
    jitter_s   bigint      NOT NULL DEFAULT 0,
    max_runs   int         NOT NULL DEFAULT 0,
    heartbeat  text        NOT NULL DEFAULT '',
    state      text        NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'done', 'deleted')),
    trouble    text        NOT NULL DEFAULT '',
    runs       int         NOT NULL DEFAULT 0,
    passed     bigint      NOT NULL DEFAULT 0,
    next_at    timestamptz,
    due_at     timestamptz,
    checked_at timestamptz NOT NULL DEFAULT now(),
    revision   bigint      NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((state = 'active') = (next_at IS NOT NULL) AND (next_at IS NULL) = (due_at IS NULL))
);
CREATE INDEX cron_jobs_by_user ON cron_jobs (user_id, created_at) WHERE state <> 'deleted';
CREATE INDEX cron_jobs_due ON cron_jobs (due_at) WHERE state = 'active';
CREATE UNIQUE INDEX cron_jobs_made_by ON cron_jobs (user_id, made_by) WHERE made_by <> '';
CREATE UNIQUE INDEX cron_jobs_heartbeat ON cron_jobs (heartbeat) WHERE heartbeat <> '' AND state <> 'deleted';
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

CREATE TABLE cron_runs (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id       text        NOT NULL REFERENCES cron_jobs ON DELETE CASCADE,
    key          text        NOT NULL,
    scheduled_at timestamptz NOT NULL,
    reason       text        NOT NULL CHECK (reason IN ('scheduled', 'missed', 'manual')),
    session_key  text        NOT NULL,
    inbox_id     bigint      REFERENCES inbox ON DELETE SET NULL,
    skipped      text        NOT NULL DEFAULT '' CHECK (skipped IN ('', 'waiting', 'busy', 'hours', 'empty')),
    created_at   timestamptz NOT NULL DEFAULT now(),
    UNIQUE (job_id, scheduled_at),
    UNIQUE (job_id, key)
);
CREATE INDEX cron_runs_newest ON cron_runs (job_id, id DESC);
CREATE INDEX cron_runs_inbox ON cron_runs (inbox_id) WHERE inbox_id IS NOT NULL;
COMMENT ON TABLE cron_runs IS 'One row a run of a job, written by the transaction that tells its conversation; a time of a job is there once. What became of it is in inbox and turns.';
COMMENT ON COLUMN cron_runs.skipped IS 'Why nobody was told: waiting (the run before had not begun), busy (its person''s conversation was), hours (outside of those of the heartbeat), empty (there is nothing to look after). Empty: the conversation was told.';

ALTER TABLE inbox DROP CONSTRAINT inbox_reset_check;
ALTER TABLE inbox ADD CONSTRAINT inbox_reset_check CHECK (reset IN ('', 'daily', 'idle', 'run'));

-- +goose Down
UPDATE inbox SET reset = '' WHERE reset = 'run';
ALTER TABLE inbox DROP CONSTRAINT inbox_reset_check;
ALTER TABLE inbox ADD CONSTRAINT inbox_reset_check CHECK (reset IN ('', 'daily', 'idle'));
DROP TABLE cron_runs, cron_jobs;
