-- +goose Up
CREATE TABLE memorize_jobs (
    id            bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_key   text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    key           text        NOT NULL,
    trigger       text        NOT NULL CHECK (trigger IN ('reset', 'subagent', 'compress')),
    compaction_id bigint,
    done_upto     bigint      NOT NULL,
    part_upto     bigint,
    upto          bigint      NOT NULL,
    newest        bigint      NOT NULL,
    state         text        NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'failed', 'skipped')),
    tries         int         NOT NULL DEFAULT 0,
    error         text        NOT NULL DEFAULT '',
    held_until    timestamptz,
    checked_at    timestamptz NOT NULL DEFAULT '-infinity',
    created_at    timestamptz NOT NULL DEFAULT now(),
    ended_at      timestamptz,
    UNIQUE (session_key, key)
);
CREATE INDEX memorize_jobs_waiting ON memorize_jobs (checked_at) WHERE state = 'waiting';
COMMENT ON TABLE memorize_jobs IS 'Conversations, or parts of them, that go from sight and are to be put into memory. Inserted in the transaction that takes them from sight, under the key of what does; ended by the memorize activity. skipped: there is too little in it to ask a model.';
COMMENT ON COLUMN memorize_jobs.done_upto IS 'Message up to which it is in memory; raised part by part. part_upto: the message with which the part ends that is being put there, so that every attempt means the same part.';
COMMENT ON COLUMN memorize_jobs.compaction_id IS 'Compaction whose summary stands for what is before the first message; NULL: none, or what it stands for is in memory.';
COMMENT ON COLUMN memorize_jobs.newest IS 'The newest control record then: what a later rewind takes out is memorized all the same.';
COMMENT ON COLUMN memorize_jobs.held_until IS 'While it is in the future an attempt may call a model.';
COMMENT ON COLUMN memorize_jobs.checked_at IS 'When the relay looked last whether the job has its workflow.';

-- +goose Down
DROP TABLE memorize_jobs;
