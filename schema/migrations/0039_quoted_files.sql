-- +goose Up
ALTER TABLE inbox_files ADD COLUMN of_message text NOT NULL DEFAULT '';
COMMENT ON COLUMN inbox_files.of_message IS 'The platform''s id of the message that holds the file, where that is the one that is answered to; empty: it came with its message.';

-- +goose Down
ALTER TABLE inbox_files DROP COLUMN of_message;
