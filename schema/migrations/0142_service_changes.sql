-- +goose Up
DROP TRIGGER count_change ON services;
CREATE TRIGGER count_change AFTER INSERT OR UPDATE OR DELETE ON services
    FOR EACH ROW EXECUTE FUNCTION count_service_change();
COMMENT ON FUNCTION count_service_change IS 'Counts by row: a statement that changes no service, as the steps of a deletion have one, has no process read them again.';

-- +goose Down
COMMENT ON FUNCTION count_service_change IS NULL;
DROP TRIGGER count_change ON services;
CREATE TRIGGER count_change AFTER INSERT OR UPDATE OR DELETE ON services
    FOR EACH STATEMENT EXECUTE FUNCTION count_service_change();
