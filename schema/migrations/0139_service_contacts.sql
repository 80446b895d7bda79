-- +goose Up
CREATE TABLE service_contacts (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    service_id text        NOT NULL REFERENCES services ON DELETE CASCADE,
    key_id     text        NOT NULL REFERENCES service_keys ON DELETE CASCADE,
    at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX service_contacts_by_service ON service_contacts (service_id, at);
CREATE INDEX service_contacts_by_key ON service_contacts (key_id, at);
COMMENT ON TABLE service_contacts IS 'One row an item of an inbox in the last hour, by the key of its conversation. It holds nothing that anybody wrote, and stays when the conversation is deleted: else a program could ask anew by deleting. Written by contact_admin, which removes what is older.';

-- +goose Down
DROP TABLE service_contacts;
