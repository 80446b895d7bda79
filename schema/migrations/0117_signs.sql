-- +goose Up
ALTER TABLE channel_states
    ADD COLUMN signs        int NOT NULL DEFAULT 0,
    ADD COLUMN signs_budget int NOT NULL DEFAULT 0,
    ADD COLUMN signs_from   timestamptz;
ALTER TABLE progress_cards ADD COLUMN lines int NOT NULL DEFAULT 0;
COMMENT ON COLUMN channel_states.signs IS 'How many signs of life were wanted of the account since signs_from: reactions, "is writing", lines that say that a turn goes on. What is above signs_budget was not shown.';
COMMENT ON COLUMN channel_states.signs_budget IS 'How many the account may show in an hour, as the newest of them was counted; 0: none was.';
COMMENT ON COLUMN channel_states.signs_from IS 'When the hour began that is counted.';
COMMENT ON COLUMN progress_cards.lines IS 'The newest short message that says that the turn goes on, where the platform does not change messages. Noted before it is sent, so that it is sent once at most.';

-- +goose Down
ALTER TABLE progress_cards DROP COLUMN lines;
ALTER TABLE channel_states DROP COLUMN signs, DROP COLUMN signs_budget, DROP COLUMN signs_from;
