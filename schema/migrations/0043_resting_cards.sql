-- +goose Up
ALTER TABLE progress_cards ADD COLUMN rests_for timestamptz;
COMMENT ON COLUMN progress_cards.rests_for IS 'The card says that its turn waits for a model provider since then (turns.waits_since): nobody follows the turn until it goes on. Written by whoever follows it.';

-- +goose Down
ALTER TABLE progress_cards DROP COLUMN rests_for;
