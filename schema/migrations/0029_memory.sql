-- +goose Up
CREATE TABLE event_history (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id     bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    agent       text        NOT NULL CHECK (agent <> ''),
    session_key text        NOT NULL,
    entry       text        NOT NULL CHECK (entry <> ''),
    words       tsvector    NOT NULL,
    size        int         NOT NULL,
    from_at     timestamptz NOT NULL,
    to_at       timestamptz NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX event_history_by_time ON event_history (user_id, agent, to_at DESC, id DESC);
CREATE INDEX event_history_words ON event_history USING gin (words);
COMMENT ON TABLE event_history IS 'What conversations were about, one entry each time a conversation was memorized. Only added to. Written by memorizing.';
COMMENT ON COLUMN event_history.session_key IS 'Conversation it is about; the entry outlives it.';
COMMENT ON COLUMN event_history.words IS 'Words and pairs of ideographs of the text, made by internal/memory/lexical.';
COMMENT ON COLUMN event_history.size IS 'How many of them the text has, repeated ones counted.';
COMMENT ON COLUMN event_history.from_at IS 'When the oldest message was written that it is about; to_at: the newest.';

CREATE TABLE core_memory_blocks (
    user_id     bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    agent       text        NOT NULL CHECK (agent <> ''),
    block       text        NOT NULL,
    session_key text        NOT NULL DEFAULT '' CHECK ((block = 'working_context') = (session_key <> '')),
    content     text        NOT NULL,
    updated_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, agent, block, session_key),
    CHECK (char_length(content) <= CASE block WHEN 'persona' THEN 2000 WHEN 'human' THEN 2000 WHEN 'working_context' THEN 4000 ELSE 0 END)
);
COMMENT ON TABLE core_memory_blocks IS 'The blocks that prompts hold where the memory is letta. Written by its tools, by memorizing and by people.';
COMMENT ON COLUMN core_memory_blocks.session_key IS 'Of working_context: the conversation that it belongs to. persona and human are the same in all conversations of a person.';

CREATE TABLE archival_memory (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id         bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    agent           text        NOT NULL CHECK (agent <> ''),
    content         text        NOT NULL CHECK (content <> ''),
    words           tsvector    NOT NULL,
    size            int         NOT NULL,
    at              timestamptz NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    embedding       bytea,
    embedding_model text        NOT NULL DEFAULT '',
    revision        bigint      NOT NULL
);
ALTER TABLE archival_memory ALTER COLUMN embedding SET STORAGE EXTERNAL;
CREATE INDEX archival_memory_by_revision ON archival_memory (user_id, agent, revision);
CREATE INDEX archival_memory_words ON archival_memory USING gin (words);
CREATE INDEX archival_memory_models ON archival_memory (embedding_model);
COMMENT ON TABLE archival_memory IS 'What is remembered of people and found by searching. Written by the tool archival_memory_insert, by memorizing and by people; embeddings also by the loop that adds those that are missing.';
COMMENT ON COLUMN archival_memory.at IS 'When it was so: of what memorizing keeps, the middle of the conversation.';
COMMENT ON COLUMN archival_memory.embedding IS 'Numbers of 32 bits, little-endian; NULL while there are none, or for ever where embedding_model names a model that could not make them.';
COMMENT ON COLUMN archival_memory.revision IS 'That of memory_heads when it was written last, so that an index in memory can ask for what is new.';

CREATE TABLE memory_heads (
    user_id   bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    agent     text   NOT NULL,
    revision  bigint NOT NULL DEFAULT 0,
    deletions bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, agent)
);
COMMENT ON TABLE memory_heads IS 'How often archival memory was written, and how often something was deleted from it. Written in the transactions that do so, under the lock of the user.';

CREATE TABLE memory_writes (
    user_id bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    agent   text        NOT NULL,
    key     text        NOT NULL,
    result  text        NOT NULL,
    at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, agent, key)
);
COMMENT ON TABLE memory_writes IS 'Changes of memory that were made, by the call or the memorizing that made them, so that a repeated one changes nothing. Written in their transactions.';

-- +goose Down
DROP TABLE memory_writes, memory_heads, archival_memory, core_memory_blocks, event_history;
