-- +goose Up
ALTER TABLE inbox_files ADD COLUMN unshown text NOT NULL DEFAULT '';
COMMENT ON COLUMN inbox_files.unshown IS 'Why no picture was made of a stored file that is one or is called one.';

-- +goose Down
ALTER TABLE inbox_files DROP COLUMN unshown;
