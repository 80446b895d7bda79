-- +goose Up
CREATE TABLE paused_runs (
    run_id  text        PRIMARY KEY,
    told_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE paused_runs IS 'Runs of deliveries and jobs that somebody paused in the Temporal UI and of which a person was told. Written by the ingress, which removes the row once the run goes on.';

-- +goose Down
DROP TABLE paused_runs;
