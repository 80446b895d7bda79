-- +goose Up
ALTER TABLE service_requests ALTER COLUMN id DROP IDENTITY;
ALTER TABLE service_requests ALTER COLUMN id TYPE text USING id::text, ADD CONSTRAINT service_requests_id_check CHECK (id <> '');
COMMENT ON COLUMN service_requests.id IS 'Made when the request ended: a batch of which nobody knows whether it was written is written again, and nothing counts twice.';

-- +goose Down
COMMENT ON COLUMN service_requests.id IS NULL;
ALTER TABLE service_requests DROP CONSTRAINT service_requests_id_check, DROP COLUMN id;
ALTER TABLE service_requests ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY;
