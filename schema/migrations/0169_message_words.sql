-- +goose Up
CREATE TABLE message_words (
    message_id bigint   PRIMARY KEY REFERENCES messages ON DELETE CASCADE,
    words      tsvector NOT NULL
);
CREATE INDEX message_words_words ON message_words USING gin (words);
COMMENT ON TABLE message_words IS 'Words of the messages that searches find, with their positions. Written with the message; those of older messages, and of an older form, by the loop of store search.';
COMMENT ON COLUMN message_words.words IS 'Words and pairs of ideographs of what people see of the message, made by internal/memory/lexical.';

CREATE TABLE word_indexes (
    name    text   PRIMARY KEY,
    version int    NOT NULL DEFAULT 0,
    below   bigint NOT NULL DEFAULT 0
);
INSERT INTO word_indexes (name) VALUES ('messages'), ('archival_memory'), ('event_history');
COMMENT ON TABLE word_indexes IS 'Which texts are indexed by words, and in which form. Written by the loop of store search, a row by one process at a time.';
COMMENT ON COLUMN word_indexes.version IS 'The newest version of internal/memory/lexical that has begun to index the texts again.';
COMMENT ON COLUMN word_indexes.below IS 'Texts with smaller ids are still to be indexed in this version, the newest first; 0: none.';

-- +goose Down
DROP TABLE word_indexes, message_words;
