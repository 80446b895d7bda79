-- +goose Up
-- Object storage: where the files of consumer conversations are, which edits of them were made, and which objects are to be deleted.

ALTER TABLE service_rooms
    ADD COLUMN storage text NOT NULL DEFAULT '' CHECK (storage IN ('', 'disk', 's3')),
    DROP CONSTRAINT service_rooms_runner_check,
    ADD CONSTRAINT service_rooms_place_check CHECK ((runner <> '') <> (storage <> ''));
COMMENT ON COLUMN service_rooms.runner IS 'On which runner of the administrator the files are; empty: in object storage.';
COMMENT ON COLUMN service_rooms.storage IS 'The back end of object storage in which the files are; empty: on a runner.';

CREATE TABLE storage_edits (
    call_id  text        PRIMARY KEY,
    user_id  bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    key      text        NOT NULL,
    size     bigint      NOT NULL,
    digest   text        NOT NULL,
    done     boolean     NOT NULL DEFAULT false,
    begun_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX storage_edits_by_user ON storage_edits (user_id, begun_at);
COMMENT ON TABLE storage_edits IS 'Edits of files in object storage by calls of tools, so that a call that is tried again changes its file once. Written by the activity that runs the call: before the object is stored, and after. Deleted with the conversation.';
COMMENT ON COLUMN storage_edits.digest IS 'SHA-256 of the new content, in hexadecimal digits.';
COMMENT ON COLUMN storage_edits.done IS 'The object was stored. A row that is not done is one whose outcome the tag of the object tells.';

CREATE TABLE storage_deletions (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    storage    text        NOT NULL CHECK (storage IN ('disk', 's3')),
    key        text        NOT NULL CHECK (key <> '' AND key <> '/'),
    due_at     timestamptz NOT NULL DEFAULT now(),
    passes     int         NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX storage_deletions_due ON storage_deletions (due_at);
COMMENT ON TABLE storage_deletions IS 'Objects to delete from object storage. Inserted by triggers in the transactions that delete the rows that named them; deleted by the loop of internal/storage/janitor once the storage has confirmed.';
COMMENT ON COLUMN storage_deletions.key IS 'The key of an object, or with a slash at its end, the beginning of the keys of many.';
COMMENT ON COLUMN storage_deletions.passes IS 'How often what is below a prefix was deleted. It is deleted twice, since a write may have been under way.';

-- +goose StatementBegin
CREATE FUNCTION delete_stored_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO storage_deletions (storage, key) VALUES (OLD.storage, OLD.admin_id || '/svc/' || OLD.service_id || '/' || OLD.conversation_id || '/');
    RETURN NULL;
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION delete_stored_files IS 'Files of a consumer conversation in object storage are deleted with the row that names them. The prefix is that of objectfs.Root.';
CREATE TRIGGER delete_stored_files AFTER DELETE ON service_rooms FOR EACH ROW WHEN (OLD.storage <> '') EXECUTE FUNCTION delete_stored_files();

-- +goose Down
DROP TRIGGER delete_stored_files ON service_rooms;
DROP FUNCTION delete_stored_files;
DROP TABLE storage_deletions, storage_edits;
DELETE FROM service_rooms WHERE storage <> '';
ALTER TABLE service_rooms
    DROP CONSTRAINT service_rooms_place_check,
    DROP COLUMN storage,
    ADD CONSTRAINT service_rooms_runner_check CHECK (runner <> '');
COMMENT ON COLUMN service_rooms.runner IS NULL;
