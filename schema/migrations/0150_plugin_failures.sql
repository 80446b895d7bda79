-- +goose Up
ALTER TABLE plugins ADD COLUMN failure text NOT NULL DEFAULT '', ADD COLUMN failure_at timestamptz;
COMMENT ON COLUMN plugins.failure IS 'The last failure of a process of the installed version, written by package bridge; it remains when the plugin works again. Empty: none.';
COMMENT ON COLUMN plugins.failure_at IS 'The time of the last failure; NULL: none.';

-- +goose Down
ALTER TABLE plugins DROP COLUMN failure, DROP COLUMN failure_at;
