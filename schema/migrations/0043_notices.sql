-- +goose Up
ALTER TABLE outbound ADD COLUMN tells_of bigint;
COMMENT ON COLUMN outbound.tells_of IS 'The delivery of which this notice says that it may not have arrived: of one that is lost itself nothing more is said. Written with the end of that delivery.';

-- +goose Down
ALTER TABLE outbound DROP COLUMN tells_of;
