-- +goose Up
ALTER TABLE plugins ADD COLUMN read_only text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN plugins.read_only IS 'Names, as models call them, of its tools that an administrator was shown to change nothing, before it was installed: others that say so count as acting.';

-- +goose Down
ALTER TABLE plugins DROP COLUMN read_only;
