-- +goose Up
CREATE INDEX outbound_undelivered ON outbound (ended_at, id) WHERE state IN ('uncertain', 'failed', 'expired');

-- +goose Down
DROP INDEX outbound_undelivered;
