-- +goose Up
ALTER TABLE outbound
    ALTER COLUMN message_id DROP NOT NULL,
    ADD COLUMN kind    text NOT NULL DEFAULT 'message' CHECK (kind IN ('message', 'question', 'settled')),
    ADD COLUMN call_id text REFERENCES tool_calls ON DELETE CASCADE,
    ADD CHECK ((kind = 'message') = (message_id IS NOT NULL)),
    ADD CHECK ((kind = 'message') = (call_id IS NULL));
CREATE UNIQUE INDEX outbound_by_call ON outbound (call_id, kind) WHERE call_id IS NOT NULL;
COMMENT ON COLUMN outbound.kind IS 'message: what was written. question: what a call asks a person; inserted in the transaction that opens the question. settled: the question is not open any more, so its buttons go; inserted in the transaction that ends it, if the question was sent or may be.';

-- +goose Down
DELETE FROM outbound WHERE kind <> 'message';
DROP INDEX outbound_by_call;
ALTER TABLE outbound DROP COLUMN call_id, DROP COLUMN kind, ALTER COLUMN message_id SET NOT NULL;
