-- +goose Up
ALTER TABLE steps ADD COLUMN pictures_skipped int NOT NULL DEFAULT 0;
COMMENT ON COLUMN steps.pictures_skipped IS 'How many of the first pictures of that message were left out, so that the request stayed within its bounds. 0 also for steps from before there were any: they showed all.';

-- +goose Down
ALTER TABLE steps DROP COLUMN pictures_skipped;
