-- +goose Up
ALTER TABLE steps ADD COLUMN pruned_upto bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN steps.pruned_upto IS 'Newest message that was looked at when results were pruned for this request; what came after it stayed whole. 0: all of them were.';

-- +goose Down
ALTER TABLE steps DROP COLUMN pruned_upto;
