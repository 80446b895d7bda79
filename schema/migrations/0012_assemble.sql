-- +goose Up
CREATE INDEX controls_newest ON controls (session_key, id);

ALTER TABLE steps ADD COLUMN fill float8 NOT NULL DEFAULT 0;
COMMENT ON COLUMN steps.fill IS 'How full the context was when results were pruned for this request, as part of the window; 0: nothing was pruned.';

-- +goose Down
ALTER TABLE steps DROP COLUMN fill;
DROP INDEX controls_newest;
