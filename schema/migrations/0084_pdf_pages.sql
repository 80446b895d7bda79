-- +goose Up
ALTER TABLE inbox_files ADD COLUMN pages integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN inbox_files.pages IS 'How many pages the file has if it is a PDF that could be read; 0: it is none, or not known.';

-- +goose Down
ALTER TABLE inbox_files DROP COLUMN pages;
