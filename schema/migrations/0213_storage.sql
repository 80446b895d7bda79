-- +goose Up
-- Object storage: where the files of consumer conversations are, which edits of them were made, and which objects are to be deleted.

ALTER TABLE service_rooms
    ADD COLUMN storage text NOT NULL DEFAULT '' CHECK (storage IN ('', 'disk', 's3')),
    ADD COLUMN move_to     text NOT NULL DEFAULT '' CHECK (move_to IN ('', 'local', 'disk', 's3')),
    ADD COLUMN move_at     timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN move_error  text NOT NULL DEFAULT '',
    ADD COLUMN left_runner text NOT NULL DEFAULT '',
    ADD COLUMN stored_in   text[] NOT NULL DEFAULT '{}',
    DROP CONSTRAINT service_rooms_runner_check,
    ADD CONSTRAINT service_rooms_place_check CHECK ((runner <> '') <> (storage <> ''));
COMMENT ON COLUMN service_rooms.runner IS 'On which runner of the administrator the files are; empty: in object storage.';
COMMENT ON COLUMN service_rooms.storage IS 'The back end of object storage in which the files are; empty: on a runner.';
COMMENT ON COLUMN service_rooms.move_to IS 'Where a migration is moving the files; empty: it is not. Until then they are only read.';
COMMENT ON COLUMN service_rooms.move_at IS 'Since when a migration has been moving the files; where it is not, when it may try again.';
COMMENT ON COLUMN service_rooms.move_error IS 'Why a migration could not move the files at its last attempt; empty: it could, or did not try.';
COMMENT ON COLUMN service_rooms.left_runner IS 'A runner other than the one that has the files, which may have copies: after a move, or one that was ended; empty: none.';
COMMENT ON COLUMN service_rooms.stored_in IS 'The back ends of object storage that may have files or copies, also after a move that was ended: all are deleted with the row.';

CREATE TABLE storage_migrations (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    target     text        NOT NULL CHECK (target IN ('local', 'disk', 's3')),
    state      text        NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'stopped')),
    created_at timestamptz NOT NULL DEFAULT now(),
    checked_at timestamptz NOT NULL DEFAULT '-infinity',
    ended_at   timestamptz
);
CREATE UNIQUE INDEX storage_migrations_running ON storage_migrations (state) WHERE state = 'running';
COMMENT ON TABLE storage_migrations IS 'Moves of all files of consumer conversations to one place. Inserted and stopped by xbot storage migrate, ended by the workflow MigrateStorage.';
COMMENT ON COLUMN storage_migrations.checked_at IS 'When its workflow last did a step, or the relay last woke it.';

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
COMMENT ON TABLE storage_deletions IS 'Objects to delete from object storage. Inserted by triggers in the transactions that delete the rows that named them; deleted by the loop of internal/storage/sweeper once the storage has confirmed.';
COMMENT ON COLUMN storage_deletions.key IS 'The key of an object, or with a slash at its end, the beginning of the keys of many.';
COMMENT ON COLUMN storage_deletions.passes IS 'How often what is below a prefix was deleted. It is deleted twice, since a write may have been under way.';

-- +goose StatementBegin
CREATE FUNCTION delete_stored_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO storage_deletions (storage, key)
    SELECT s, OLD.admin_id || '/svc/' || OLD.service_id || '/' || OLD.conversation_id || '/' FROM unnest(OLD.stored_in) s;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION delete_stored_files IS 'Files of a consumer conversation in object storage are deleted with the row that names them. The prefix is that of objectfs.Root.';
CREATE TRIGGER delete_stored_files AFTER DELETE ON service_rooms FOR EACH ROW WHEN (OLD.stored_in <> '{}') EXECUTE FUNCTION delete_stored_files();

-- +goose Down
DROP TRIGGER delete_stored_files ON service_rooms;
DROP FUNCTION delete_stored_files;
DROP TABLE storage_deletions, storage_edits, storage_migrations;
DELETE FROM service_rooms WHERE storage <> '';
ALTER TABLE service_rooms
    DROP CONSTRAINT service_rooms_place_check,
    DROP COLUMN storage, DROP COLUMN move_to, DROP COLUMN move_at, DROP COLUMN move_error, DROP COLUMN left_runner, DROP COLUMN stored_in,
    ADD CONSTRAINT service_rooms_runner_check CHECK (runner <> '');
COMMENT ON COLUMN service_rooms.runner IS NULL;
