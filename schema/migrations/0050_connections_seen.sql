-- +goose Up
ALTER TABLE connections ADD COLUMN seen_at timestamptz NOT NULL DEFAULT now();
COMMENT ON COLUMN connections.seen_at IS 'When its holder last said that it stands, every 15 s. A holder that was killed says nothing: after 45 s the connection counts as ended.';

-- +goose Down
ALTER TABLE connections DROP COLUMN seen_at;
