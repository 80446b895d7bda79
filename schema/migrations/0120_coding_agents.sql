-- +goose Up
CREATE TABLE coding_threads (
    session_key   text        PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    agent         text        NOT NULL,
    thread        text        NOT NULL,
    runner        text        NOT NULL,
    dir           text        NOT NULL,
    upto          bigint      NOT NULL DEFAULT 0,
    reset_id      bigint      NOT NULL DEFAULT 0,
    input_tokens  bigint      NOT NULL DEFAULT 0,
    cached_tokens bigint      NOT NULL DEFAULT 0,
    output_tokens bigint      NOT NULL DEFAULT 0,
    updated_at    timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE coding_threads IS 'With which thread of a coding agent a conversation goes on. Written by the steps of turns that such an agent answers, and by the command that binds a thread.';
COMMENT ON COLUMN coding_threads.thread IS 'The agent''s own name of its conversation.';
COMMENT ON COLUMN coding_threads.upto IS 'The newest message of the conversation that the agent was given. Where it was taken back, the thread is not gone on with.';
COMMENT ON COLUMN coding_threads.reset_id IS 'Where the conversation began when the thread was written. Once it has begun anew, the thread is not gone on with.';

CREATE TABLE coding_runs (
    turn_id     text        NOT NULL REFERENCES turns ON DELETE CASCADE,
    round       int         NOT NULL,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    request     jsonb       NOT NULL,
    upto        bigint      NOT NULL,
    runner      text        NOT NULL,
    store       text        NOT NULL DEFAULT '',
    ended_at    timestamptz,
    PRIMARY KEY (turn_id, round)
);
CREATE INDEX coding_runs_of_session ON coding_runs (session_key);
COMMENT ON TABLE coding_runs IS 'Processes of coding agents, one a round of a turn. Written before a process is started, so that an attempt that comes later finds the same process with the same request; ended_at once its turn is over, or it was killed. Those of earlier turns go when a conversation begins another one.';
COMMENT ON COLUMN coding_runs.store IS 'The job store of the runner that the process was sent to, empty before that.';
COMMENT ON COLUMN coding_runs.upto IS 'The newest message that stands in the request.';

-- +goose Down
DROP TABLE coding_runs;
DROP TABLE coding_threads;
