-- +goose Up
ALTER TABLE turns
    ADD COLUMN asks_from     timestamptz,
    ADD COLUMN asks_attempt  integer NOT NULL DEFAULT 0,
    ADD COLUMN hastened_by   bigint  NOT NULL DEFAULT 0;
COMMENT ON COLUMN turns.asks_from IS 'Before when a provider that a turn waits for is not asked again, whoever writes meanwhile. asks_attempt is the newest attempt that failed while the turn waits, hastened_by the message (inbox) that brought the next one forward: only an attempt that knows of it asks. Written by the generate activity and by the turn when a message comes; they mean nothing unless waits_since is set.';

-- +goose Down
ALTER TABLE turns DROP COLUMN asks_from, DROP COLUMN asks_attempt, DROP COLUMN hastened_by;
