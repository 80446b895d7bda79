-- +goose Up
CREATE TABLE pictures (
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    hash        text        NOT NULL,
    media_type  text        NOT NULL,
    width       int         NOT NULL,
    height      int         NOT NULL,
    data        bytea       NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (session_key, hash)
);
COMMENT ON TABLE pictures IS 'Pictures of a conversation as models are shown them: made smaller, upright, without what a camera wrote. Written before the message, or with the result, that shows them, and kept as long as the conversation, so that each request can be made again.';
COMMENT ON COLUMN pictures.hash IS 'SHA-256 of data, in hexadecimal digits.';
ALTER TABLE pictures ALTER COLUMN data SET STORAGE EXTERNAL; -- they are compressed already
ALTER TABLE messages ADD COLUMN pictures jsonb NOT NULL DEFAULT '[]';
ALTER TABLE tool_calls ADD COLUMN pictures jsonb NOT NULL DEFAULT '[]';
ALTER TABLE inbox_files ADD COLUMN picture jsonb;
ALTER TABLE steps ADD COLUMN pictures_from bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN messages.pictures IS 'The pictures that the message shows, in their order: names of rows of pictures.';
COMMENT ON COLUMN tool_calls.pictures IS 'The pictures that the result shows, as in messages.';
COMMENT ON COLUMN inbox_files.picture IS 'The picture that was made of the file; null: it is none, or cannot be shown.';
COMMENT ON COLUMN steps.pictures_from IS 'The first message whose pictures the request showed; 0: it showed none.';

-- +goose Down
ALTER TABLE steps DROP COLUMN pictures_from;
ALTER TABLE inbox_files DROP COLUMN picture;
ALTER TABLE tool_calls DROP COLUMN pictures;
ALTER TABLE messages DROP COLUMN pictures;
DROP TABLE pictures;
