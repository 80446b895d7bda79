-- +goose Up
CREATE TABLE controls (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    kind        text        NOT NULL CHECK (kind IN ('mask', 'compact', 'edit', 'stale', 'rewind', 'undo')),
    message_id  bigint      NOT NULL,
    turn_id     text        NOT NULL DEFAULT '',
    key         text        NOT NULL DEFAULT '',
    body        jsonb       NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX controls_by_message ON controls (session_key, message_id);
CREATE UNIQUE INDEX controls_once ON controls (session_key, key) WHERE key <> '';
COMMENT ON TABLE controls IS 'Records that change what the model sees of a conversation, append-only; messages themselves are never rewritten. mask, stale by the generate activity, compact by the compress activity, edit and undo by the context_edit tool, rewind by its command. message_id is the newest message that the record is about. key makes a record unique in its session, so that a repeated activity adds none. body is chat.Control.';

CREATE TABLE blobs (
    hash       bytea       PRIMARY KEY,
    body       text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE blobs IS 'Large texts by SHA-256: results of tools that the model sees as a summary. Written with the result of the call; a body that no offload names any more goes with the deletion of its session.';

CREATE TABLE offloads (
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    id          text        NOT NULL CHECK (id ~ '^ol_[0-9a-f]{4,16}$'),
    call_id     text        REFERENCES tool_calls ON DELETE CASCADE,
    blob        bytea       NOT NULL REFERENCES blobs,
    bytes       int         NOT NULL,
    tool        text        NOT NULL,
    path        text        NOT NULL DEFAULT '',
    runner      text        NOT NULL DEFAULT '',
    file_size   bigint      NOT NULL DEFAULT 0,
    file_time   timestamptz,
    file_hash   bytea,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (session_key, id)
);
CREATE INDEX offloads_by_call ON offloads (call_id);
CREATE INDEX offloads_by_blob ON offloads (blob);
COMMENT ON TABLE offloads IS 'Results of calls that were too large for the conversation, by the id that the model recalls them with. Written with the result of the call, under the root session of a subagent. Where the result is a whole file, path, runner, size, time and hash tell later whether the file has changed. call_id is empty for what no call produced.';

ALTER TABLE tool_calls ADD COLUMN offload text NOT NULL DEFAULT '';
COMMENT ON COLUMN tool_calls.offload IS 'Id of the offload that holds the whole result; result is its summary then.';
CREATE INDEX tool_calls_by_session ON tool_calls (session_key, message_id);

ALTER TABLE messages ADD COLUMN rewound_by bigint;
COMMENT ON COLUMN messages.rewound_by IS 'Control record that took the message out of the conversation; NULL: it is in.';
ALTER TABLE messages DROP CONSTRAINT messages_origin_check;
ALTER TABLE messages ADD CONSTRAINT messages_origin_check CHECK (origin IN ('', 'command', 'background', 'context'));
COMMENT ON COLUMN messages.origin IS 'command: a slash or bang command and its answer, display only. background: the end of a background task, told to the model. context: a notice that says what became of the context, such as a compression.';

ALTER TABLE sessions
    ADD COLUMN root          text   NOT NULL DEFAULT '',
    ADD COLUMN compaction_id bigint REFERENCES controls ON DELETE SET NULL,
    ADD COLUMN context_mode  text   NOT NULL DEFAULT '' CHECK (context_mode IN ('', 'default', 'none')),
    ADD COLUMN fork_of       text   NOT NULL DEFAULT '';
COMMENT ON COLUMN sessions.root IS 'Session that keeps the offloads of this one, for a subagent that of the person; empty: itself.';
COMMENT ON COLUMN sessions.compaction_id IS 'Compaction that the conversation begins with for the model; moved back by a rewind.';
COMMENT ON COLUMN sessions.context_mode IS 'default: all layers. none: nothing is masked or compressed unless somebody asks. Empty: as the installation says.';
COMMENT ON COLUMN sessions.fork_of IS 'Session that this one was copied from, for people; it may be gone.';

ALTER TABLE turns ADD COLUMN system_hash bytea REFERENCES prompts;
COMMENT ON COLUMN turns.system_hash IS 'System prompt of the turn, rendered at its first step, so that all its steps have the same.';

ALTER TABLE steps
    ADD COLUMN control_upto     bigint  NOT NULL DEFAULT 0,
    ADD COLUMN compaction_id    bigint,
    ADD COLUMN message_upto     bigint  NOT NULL DEFAULT 0,
    ADD COLUMN reminder         text    NOT NULL DEFAULT '',
    ADD COLUMN pruned           boolean NOT NULL DEFAULT false,
    ADD COLUMN request_hash     bytea,
    ADD COLUMN request_bytes    int     NOT NULL DEFAULT 0,
    ADD COLUMN estimated_tokens int     NOT NULL DEFAULT 0;
COMMENT ON COLUMN steps.request_hash IS 'SHA-256 of all that was sent. The request can be made again from prompt_hash, compaction_id, the messages up to message_upto, the controls up to control_upto, reminder and pruned; the hash tells whether it is the same.';

CREATE TABLE session_parts (
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    key         text        NOT NULL,
    source      text        NOT NULL,
    body        text        NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (session_key, key)
);
COMMENT ON TABLE session_parts IS 'Parts of the system prompt that would change under a running conversation, such as the instructions of a project or memory, as they were when the conversation began or was last compressed. source says what they were made from; another source replaces them. Written by the generate activity.';

CREATE TABLE token_ratios (
    model      text        PRIMARY KEY,
    ratio      float8      NOT NULL CHECK (ratio > 0),
    samples    int         NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE token_ratios IS 'What a model''s provider counts for one token of our estimate, learnt from its usage. Written by the generate activity.';

CREATE TABLE memories (
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    path       text        NOT NULL CHECK (path <> '' AND octet_length(path) <= 200),
    content    text        NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, path)
);
COMMENT ON TABLE memories IS 'Notes that the model keeps about a person and their work, as small files. Written by the memory tools.';

CREATE TABLE user_token_usage (
    user_id           bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    day               date   NOT NULL,
    model             text   NOT NULL,
    session_key       text   NOT NULL,
    calls             int    NOT NULL DEFAULT 0,
    prompt_tokens     bigint NOT NULL DEFAULT 0,
    cached_tokens     bigint NOT NULL DEFAULT 0,
    completion_tokens bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, day, model, session_key)
);
COMMENT ON TABLE user_token_usage IS 'Tokens as providers counted them, by day (UTC), model and session. Added to in the transaction that keeps what was paid for. Sessions that were deleted stay in the sums.';

ALTER TABLE inbox DROP CONSTRAINT inbox_kind_check;
ALTER TABLE inbox ADD CONSTRAINT inbox_kind_check CHECK (kind IN ('message', 'stop', 'command', 'background', 'control'));

-- +goose Down
DELETE FROM inbox WHERE kind = 'control';
ALTER TABLE inbox DROP CONSTRAINT inbox_kind_check;
ALTER TABLE inbox ADD CONSTRAINT inbox_kind_check CHECK (kind IN ('message', 'stop', 'command', 'background'));
DROP TABLE user_token_usage, memories, token_ratios, session_parts;
ALTER TABLE steps DROP COLUMN control_upto, DROP COLUMN compaction_id, DROP COLUMN message_upto, DROP COLUMN reminder, DROP COLUMN pruned,
    DROP COLUMN request_hash, DROP COLUMN request_bytes, DROP COLUMN estimated_tokens;
ALTER TABLE turns DROP COLUMN system_hash;
ALTER TABLE sessions DROP COLUMN root, DROP COLUMN compaction_id, DROP COLUMN context_mode, DROP COLUMN fork_of;
UPDATE messages SET origin = '' WHERE origin = 'context';
ALTER TABLE messages DROP CONSTRAINT messages_origin_check, DROP COLUMN rewound_by;
ALTER TABLE messages ADD CONSTRAINT messages_origin_check CHECK (origin IN ('', 'command', 'background'));
DROP INDEX tool_calls_by_session;
ALTER TABLE tool_calls DROP COLUMN offload;
DROP TABLE offloads, blobs, controls;
