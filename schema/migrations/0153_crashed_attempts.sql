-- +goose Up
CREATE TABLE crashed_attempts (
    workflow_id text NOT NULL,
    activity    text NOT NULL,
    input       text NOT NULL,
    run_id      text NOT NULL,
    version     text NOT NULL,
    crashes     integer NOT NULL,
    alone       integer NOT NULL,
    kills       integer NOT NULL,
    cause       text NOT NULL,
    journal     text NOT NULL,
    last_at     timestamptz NOT NULL DEFAULT now(),
    killed_at   timestamptz NOT NULL DEFAULT now(),
    given_up_at timestamptz,
    PRIMARY KEY (workflow_id, activity, input)
);
CREATE INDEX crashed_attempts_last ON crashed_attempts (last_at);
COMMENT ON TABLE crashed_attempts IS 'Calls of activities during which a worker process died, written by package crash when the next process starts. A call that ends well is deleted; one that crashed too often is given up.';
COMMENT ON COLUMN crashed_attempts.input IS 'JSON of the references that the activity was given, never what people wrote.';
COMMENT ON COLUMN crashed_attempts.crashes IS 'How often the process crashed (a fault of the program, or a lack of memory) while the call ran, by this version.';
COMMENT ON COLUMN crashed_attempts.alone IS 'In how many of the crashes no other call ran that was part of one before.';
COMMENT ON COLUMN crashed_attempts.journal IS 'The journal that was counted last, so that none counts twice.';
COMMENT ON COLUMN crashed_attempts.last_at IS 'The last crash, or the first kill.';
COMMENT ON COLUMN crashed_attempts.kills IS 'How often the process ended while the call ran without being blamed for it, such as by a kill from outside, within an hour of each other.';

-- +goose Down
DROP TABLE crashed_attempts;
