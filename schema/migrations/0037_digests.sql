-- +goose Up
ALTER TABLE archival_memory
    ADD COLUMN digest      text        NOT NULL DEFAULT '',
    ADD COLUMN embed_after timestamptz NOT NULL DEFAULT '-infinity';
COMMENT ON COLUMN archival_memory.digest IS 'What an entry that is longer than the embedding model takes says in fewer words, written by a model: the embedding is made of it. Empty: of the entry. Written by the loop that adds missing embeddings.';
COMMENT ON COLUMN archival_memory.embed_after IS 'Before that the loop leaves the entry alone: a model shortens it, or cannot be asked.';

-- +goose Down
ALTER TABLE archival_memory DROP COLUMN digest, DROP COLUMN embed_after;
