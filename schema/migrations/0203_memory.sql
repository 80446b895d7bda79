-- +goose Up
-- Memory: notes, memory blocks, archival memory, profiles, and persona files.

CREATE TABLE memories (
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    path       text        NOT NULL CHECK (path <> '' AND octet_length(path) <= 200),
    content    text        NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    agent      text        NOT NULL DEFAULT 'main' CHECK (agent <> ''),
    PRIMARY KEY (user_id, agent, path)
);
COMMENT ON TABLE memories IS 'Notes that the model keeps about a person and their work, as small files. Written by the memory tools.';
COMMENT ON COLUMN memories.agent IS 'Whose note it is: each agent has a memory of its own, main is the one that the default agent has and that others may share.';

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
    revision        bigint      NOT NULL,
    digest          text        NOT NULL DEFAULT '',
    embed_after     timestamptz NOT NULL DEFAULT '-infinity'
);
ALTER TABLE archival_memory ALTER COLUMN embedding SET STORAGE EXTERNAL;
CREATE INDEX archival_memory_by_revision ON archival_memory (user_id, agent, revision);
CREATE INDEX archival_memory_words ON archival_memory USING gin (words);
CREATE INDEX archival_memory_models ON archival_memory (embedding_model);
COMMENT ON TABLE archival_memory IS 'What is remembered of people and found by searching. Written by the tool archival_memory_insert, by memorizing and by people; embeddings also by the loop that adds those that are missing.';
COMMENT ON COLUMN archival_memory.at IS 'When it was so: of what memorizing keeps, the middle of the conversation.';
COMMENT ON COLUMN archival_memory.embedding IS 'Numbers of 32 bits, little-endian; NULL while there are none, or for ever where embedding_model names a model that could not make them.';
COMMENT ON COLUMN archival_memory.revision IS 'That of memory_heads when it was written last, so that an index in memory can ask for what is new.';
COMMENT ON COLUMN archival_memory.digest IS 'What an entry that is longer than the embedding model takes says in fewer words, written by a model: the embedding is made of it. Empty: of the entry. Written by the loop that adds missing embeddings.';
COMMENT ON COLUMN archival_memory.embed_after IS 'Before that the loop leaves the entry alone: a model shortens it, or cannot be asked.';

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

CREATE TABLE memorize_jobs (
    id            bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_key   text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    key           text        NOT NULL,
    trigger       text        NOT NULL CHECK (trigger IN ('reset', 'subagent', 'compress')),
    compaction_id bigint,
    done_upto     bigint      NOT NULL,
    part_upto     bigint,
    upto          bigint      NOT NULL,
    newest        bigint      NOT NULL,
    state         text        NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'failed', 'skipped')),
    tries         int         NOT NULL DEFAULT 0,
    error         text        NOT NULL DEFAULT '',
    held_until    timestamptz,
    checked_at    timestamptz NOT NULL DEFAULT '-infinity',
    created_at    timestamptz NOT NULL DEFAULT now(),
    ended_at      timestamptz,
    UNIQUE (session_key, key)
);
CREATE INDEX memorize_jobs_waiting ON memorize_jobs (checked_at) WHERE state = 'waiting';
COMMENT ON TABLE memorize_jobs IS 'Conversations, or parts of them, that go from sight and are to be put into memory. Inserted in the transaction that takes them from sight, under the key of what does; ended by the memorize activity. skipped: there is too little in it to ask a model.';
COMMENT ON COLUMN memorize_jobs.compaction_id IS 'Compaction whose summary stands for what is before the first message; NULL: none, or what it stands for is in memory.';
COMMENT ON COLUMN memorize_jobs.done_upto IS 'Message up to which it is in memory; raised part by part. part_upto: the message with which the part ends that is being put there, so that every attempt means the same part.';
COMMENT ON COLUMN memorize_jobs.newest IS 'The newest control record then: what a later rewind takes out is memorized all the same.';
COMMENT ON COLUMN memorize_jobs.held_until IS 'While it is in the future an attempt may call a model.';
COMMENT ON COLUMN memorize_jobs.checked_at IS 'When the relay looked last whether the job has its workflow.';

CREATE TABLE user_profiles (
    user_id    bigint      PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    content    text        NOT NULL CHECK (char_length(content) <= 2000),
    timezone   text        NOT NULL DEFAULT '',
    revision   int         NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE user_profiles IS 'What people say of themselves, for the prompts of their own conversations. Written by them: /profile, the page, the API. revision counts changes, so that an edit which has not seen the one before is refused.';
COMMENT ON COLUMN user_profiles.timezone IS 'IANA name; empty: not said.';

CREATE TABLE user_profile_versions (
    user_id    bigint      NOT NULL REFERENCES user_profiles ON DELETE CASCADE,
    version    int         NOT NULL CHECK (version > 0),
    content    text        NOT NULL,
    timezone   text        NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    PRIMARY KEY (user_id, version)
);
COMMENT ON TABLE user_profile_versions IS 'What a profile was after each change, with who and when; the oldest beyond a hundred go. Written with user_profiles.';
COMMENT ON COLUMN user_profile_versions.version IS 'The revision of user_profiles that it was.';

CREATE TABLE soul_files (
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    agent      text        NOT NULL CHECK (agent <> ''),
    name       text        NOT NULL CHECK (name <> ''),
    content    text        NOT NULL CHECK (content <> '' AND octet_length(content) <= 20000),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, agent, name)
);
COMMENT ON TABLE soul_files IS 'Notes about the character of an agent toward one person or group: *.md and *.json. Written by people and by the soul tools, where the policy gives them; at most 50 for each agent and user.';

-- +goose Down
DROP TABLE soul_files, user_profile_versions, user_profiles, memorize_jobs, event_history, memory_writes, memory_heads, archival_memory, core_memory_blocks, memories;
