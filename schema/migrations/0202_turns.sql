-- +goose Up
-- Turns: sessions, messages, the queue, turns with their calls and questions, subagents, and coding agents.

CREATE TABLE sessions (
    key                 text        PRIMARY KEY CHECK (key <> '' AND octet_length(key) <= 512),
    user_id             bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    channel             text        NOT NULL,
    title               text        NOT NULL DEFAULT '',
    pinned              boolean     NOT NULL DEFAULT false,
    cwd                 text        NOT NULL DEFAULT '',
    runner              text        NOT NULL DEFAULT '',
    feed_seq            bigint      NOT NULL DEFAULT 0,
    created_at          timestamptz NOT NULL DEFAULT now(),
    last_interaction_at timestamptz NOT NULL DEFAULT now(),
    cwd_runner          text        NOT NULL DEFAULT '',
    root                text        NOT NULL DEFAULT '',
    compaction_id       bigint,
    context_mode        text        NOT NULL DEFAULT '' CHECK (context_mode IN ('', 'default', 'none')),
    fork_of             text        NOT NULL DEFAULT '',
    agent               text        NOT NULL DEFAULT 'main',
    chat_type           text        NOT NULL DEFAULT 'direct' CHECK (chat_type IN ('direct', 'group', 'channel', 'thread', 'cron', 'hook', 'subagent')),
    origin              jsonb       NOT NULL DEFAULT '{}',
    scene               text        NOT NULL DEFAULT '' CHECK (scene IN ('', 'chat', 'work')),
    model               text        NOT NULL DEFAULT '',
    think               text        NOT NULL DEFAULT '' CHECK (think IN ('', 'off', 'minimal', 'low', 'medium', 'high', 'xhigh')),
    verbosity           text        NOT NULL DEFAULT '' CHECK (verbosity IN ('', 'off', 'on', 'full')),
    queue               jsonb       NOT NULL DEFAULT '{}',
    send                text        NOT NULL DEFAULT '' CHECK (send IN ('', 'on', 'off')),
    activation          text        NOT NULL DEFAULT '' CHECK (activation IN ('', 'mention', 'always')),
    reset_id            bigint,
    preset              text        NOT NULL DEFAULT '' CHECK (preset IN ('', 'read_only', 'ask', 'auto')),
    shelf               text        NOT NULL DEFAULT '' CHECK (shelf IN ('', 'archived', 'oneshots')),
    title_open          boolean     NOT NULL DEFAULT false,
    plan                boolean     NOT NULL DEFAULT false
);
CREATE INDEX sessions_by_user ON sessions (user_id, last_interaction_at DESC);
CREATE INDEX sessions_newest ON sessions (last_interaction_at DESC, key);
CREATE INDEX sessions_pinned ON sessions (user_id, last_interaction_at DESC) WHERE pinned;
CREATE INDEX sessions_by_shelf ON sessions (user_id, shelf, last_interaction_at DESC);
COMMENT ON TABLE sessions IS 'One row a conversation. Created by the ingress; cwd by the Cd tool; feed_seq counts the durable events of the session and is raised last in each transaction that adds some.';
COMMENT ON COLUMN sessions.runner IS 'Runner of this session alone; empty follows the active runner of its user.';
COMMENT ON COLUMN sessions.cwd_runner IS 'Runner that cwd is a folder of; on another one the session starts in the workspace. Empty: not known, cwd holds anywhere.';
COMMENT ON COLUMN sessions.root IS 'Session that keeps the offloads of this one, for a subagent that of the person; empty: itself.';
COMMENT ON COLUMN sessions.compaction_id IS 'Compaction that the conversation begins with for the model; moved back by a rewind.';
COMMENT ON COLUMN sessions.context_mode IS 'default: all layers. none: nothing is masked or compressed unless somebody asks. Empty: as the installation says.';
COMMENT ON COLUMN sessions.fork_of IS 'Session that this one was copied from, for people; it may be gone.';
COMMENT ON COLUMN sessions.origin IS 'chat.Origin: where the conversation takes place, as the newest message said.';
COMMENT ON COLUMN sessions.queue IS 'chat.Queue: what /queue set for this conversation; empty members follow the policy.';
COMMENT ON COLUMN sessions.reset_id IS 'Record of the newest reset: for the model the conversation begins after its message.';
COMMENT ON COLUMN sessions.preset IS 'What tools may do in this conversation and for its subagents; empty: as the user says (user_settings preset), then the policy.';
COMMENT ON COLUMN sessions.shelf IS 'Where the conversation is kept out of the list of its person: archived, by them, until somebody writes there again; oneshots, of a terminal. Empty: in the list.';
COMMENT ON COLUMN sessions.title_open IS 'A model may still give the conversation its title: nobody has named it, it is shown in a list, and no model was asked in vain. Set when the session is made; cleared once, by a person who names it or by the title activity.';
COMMENT ON COLUMN sessions.plan IS 'Whether turns of this conversation propose a plan before they act (plan mode). Written by /plan and by the sessions API.';

CREATE TABLE session_aliases (
    alias       text        PRIMARY KEY CHECK (alias <> '' AND octet_length(alias) <= 512),
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX session_aliases_by_session ON session_aliases (session_key);
COMMENT ON TABLE session_aliases IS 'Other names of a conversation: the thread, root message or answers of a work session, or a chat that /session bound to it. Written by the gateway and by /session.';

CREATE TABLE link_codes (
    code_hash   bytea       PRIMARY KEY,
    user_id     bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL,
    session_key text        REFERENCES sessions ON DELETE SET NULL
);
COMMENT ON TABLE link_codes IS 'Codes by which a person shows on a second channel who they are (SHA-256). Written by /link, used once.';
COMMENT ON COLUMN link_codes.session_key IS 'Conversation that the code was asked for in; it is told who used the code.';

CREATE TABLE shares (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_key  text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    token_hash   bytea       NOT NULL UNIQUE,
    title        text        NOT NULL,
    message_upto bigint      NOT NULL,
    control_upto bigint      NOT NULL,
    made_at      timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL
);
CREATE INDEX shares_session ON shares (session_key);
COMMENT ON TABLE shares IS 'Links by which anybody reads a conversation as it was when the link was made. Written by its owner, over /api/sessions/{key}/shares; removed when they revoke it, some time after it has expired, and with the conversation.';
COMMENT ON COLUMN shares.token_hash IS 'SHA-256 of the token of the link, which itself is stored nowhere.';
COMMENT ON COLUMN shares.title IS 'Of the conversation, when the link was made.';
COMMENT ON COLUMN shares.message_upto IS 'The newest message that it shows; 0: there was none.';
COMMENT ON COLUMN shares.control_upto IS 'The newest control record when it was made: what was out of the conversation then stays hidden, whatever is brought back.';

CREATE TABLE prompts (
    hash       bytea       PRIMARY KEY,
    body       text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE prompts IS 'System prompts with their tool schemas by SHA-256: what the model really saw. Written by the generate activity.';

CREATE TABLE session_parts (
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    key         text        NOT NULL,
    source      text        NOT NULL,
    body        text        NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (session_key, key)
);
COMMENT ON TABLE session_parts IS 'Parts of the system prompt that would change under a running conversation, such as the instructions of a project or memory, as they were when the conversation began or was last compressed. source says what they were made from; another source replaces them. Written by the generate activity.';

CREATE TABLE active_tools (
    session_key text   NOT NULL REFERENCES sessions ON DELETE CASCADE,
    name        text   NOT NULL,
    message_id  bigint NOT NULL,
    PRIMARY KEY (session_key, name)
);
COMMENT ON TABLE active_tools IS 'The tools of a conversation that are not always shown, which its model has found or used. Written by search_tools and before a call of such a tool; emptied when the conversation begins anew.';
COMMENT ON COLUMN active_tools.message_id IS 'The newest message when the tool was last found or used: it is shown until five messages of people have come since (spec/001 §5.3).';

CREATE TABLE todos (
    session_key text        PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    items       jsonb       NOT NULL,
    updated_at  timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE todos IS 'The to-do list of a session, overwritten whole by the todo_write tool.';

CREATE TABLE feed_events (
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    seq         bigint      NOT NULL,
    kind        text        NOT NULL,
    data        jsonb       NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (session_key, seq)
);
COMMENT ON TABLE feed_events IS 'Durable events to people, in the order of seq, written in the transaction that made them true. Read by the event streams after a cursor.';

CREATE TABLE turns (
    id                text        PRIMARY KEY,
    session_key       text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    run_id            text        NOT NULL,
    state             text        NOT NULL CHECK (state IN ('running', 'done', 'stopped', 'failed', 'lost')),
    steps             int         NOT NULL DEFAULT 0,
    model             text        NOT NULL DEFAULT '',
    prompt_tokens     int         NOT NULL DEFAULT 0,
    cached_tokens     int         NOT NULL DEFAULT 0,
    completion_tokens int         NOT NULL DEFAULT 0,
    started_at        timestamptz NOT NULL DEFAULT now(),
    ended_at          timestamptz,
    checked_at        timestamptz NOT NULL DEFAULT now(),
    held_told_at      timestamptz,
    system_hash       bytea       REFERENCES prompts,
    user_id           bigint      REFERENCES users ON DELETE SET NULL,
    options           jsonb       NOT NULL DEFAULT '{}',
    deliver           boolean     NOT NULL DEFAULT true,
    waits_since       timestamptz,
    waits_reason      text        NOT NULL DEFAULT '',
    waits_until       timestamptz,
    asks_at           timestamptz,
    asks_from         timestamptz,
    asks_attempt      integer     NOT NULL DEFAULT 0,
    hastened_by       bigint      NOT NULL DEFAULT 0,
    allows_by         text        NOT NULL DEFAULT '',
    allows_since      timestamptz,
    allows_calls      int         NOT NULL DEFAULT 0,
    allows_key        text        NOT NULL DEFAULT '',
    plan              text        NOT NULL DEFAULT '' CHECK (plan IN ('', 'wanted', 'approved', 'lifted'))
);
CREATE UNIQUE INDEX turns_one_running ON turns (session_key) WHERE state = 'running';
CREATE INDEX turns_by_session ON turns (session_key, started_at DESC);
CREATE INDEX turns_running_unchecked ON turns (checked_at) WHERE state = 'running';
CREATE INDEX turns_system ON turns (system_hash) WHERE system_hash IS NOT NULL;
CREATE INDEX turns_allows_key ON turns (session_key, allows_key) WHERE allows_key <> '';
CREATE INDEX turns_plan_wanted ON turns (session_key) WHERE plan = 'wanted';
COMMENT ON TABLE turns IS 'One row a turn, id = original run id of its workflow. Written by the claim, the steps and the finish of the turn; closed by the relay when the run is gone. The partial unique index is the last line of the per-session order.';
COMMENT ON COLUMN turns.system_hash IS 'System prompt of the turn, rendered at its first step, so that all its steps have the same.';
COMMENT ON COLUMN turns.user_id IS 'Who wrote what the turn answers: the sender, where the session belongs to a group.';
COMMENT ON COLUMN turns.options IS 'chat.Options of the message that it answers.';
COMMENT ON COLUMN turns.deliver IS 'false: the send policy kept its answers from the channel.';
COMMENT ON COLUMN turns.waits_since IS 'Since when the turn waits for a model provider that cannot be reached; NULL: it does not. waits_reason says why in two words, waits_until when it is given up, asks_at when the provider is asked next. Written by the generate activity, cleared with the end of the step or the turn.';
COMMENT ON COLUMN turns.asks_from IS 'Before when a provider that a turn waits for is not asked again, whoever writes meanwhile. asks_attempt is the newest attempt that failed while the turn waits, hastened_by the message (inbox) that brought the next one forward: only an attempt that knows of it asks. Written by the generate activity and by the turn when a message comes; they mean nothing unless waits_since is set.';
COMMENT ON COLUMN turns.allows_by IS 'Name of the person who allows every call of the turn that would be asked about; empty: nobody does. Written by the ingress, read where a call opens its question. It lifts no denial, and ends with the turn.';
COMMENT ON COLUMN turns.allows_since IS 'When they last said so.';
COMMENT ON COLUMN turns.allows_calls IS 'How many calls were allowed so.';
COMMENT ON COLUMN turns.allows_key IS 'Id of the message that said so, so that the same message sent again means this turn, and no later one.';
COMMENT ON COLUMN turns.plan IS 'Plan mode of the turn. wanted: only what reads runs, until a person approves a plan; the turn of a subagent that was asked in such a turn keeps it to its end. approved: they have. lifted: they have switched the mode off. Empty: nobody wants a plan. Written when the turn opens, with the answer to a plan, and by /plan.';

CREATE TABLE inbox (
    id               bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_key      text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    user_id          bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    kind             text        NOT NULL CHECK (kind IN ('message', 'stop', 'command', 'background', 'control')),
    channel          text        NOT NULL,
    account          text        NOT NULL DEFAULT '',
    platform_id      text        NOT NULL,
    body             text        NOT NULL DEFAULT '',
    target_turn      text,
    accepted_at      timestamptz NOT NULL DEFAULT now(),
    turn_id          text        REFERENCES turns ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    claim            int,
    outcome          text        CHECK (outcome IN (
        'claimed', 'stopped', 'rejected', 'applied', 'stale', 'superseded', 'recalled', 'dropped', 'summarized', 'taken')),
    releases         int         NOT NULL DEFAULT 0,
    woken_at         timestamptz NOT NULL DEFAULT now(),
    wakes            int         NOT NULL DEFAULT 0,
    held_told_at     timestamptz,
    mode             text        NOT NULL DEFAULT 'followup' CHECK (mode IN ('steer', 'followup', 'collect', 'interrupt', 'supersede')),
    sender           text        NOT NULL DEFAULT '',
    sent_at          timestamptz NOT NULL DEFAULT now(),
    sent_seq         bigint      NOT NULL DEFAULT 0,
    not_before       timestamptz,
    reset            text        NOT NULL DEFAULT '' CHECK (reset IN ('', 'daily', 'idle', 'run')),
    options          jsonb       NOT NULL DEFAULT '{}',
    replaced_by      bigint,
    original         text,
    throttled_at     timestamptz,
    granted_until    timestamptz,
    throttle_told_at timestamptz,
    place            jsonb,
    files            int         NOT NULL DEFAULT 0,
    files_until      timestamptz,
    CONSTRAINT inbox_platform_id UNIQUE (channel, account, user_id, platform_id)
);
CREATE INDEX inbox_to_wake ON inbox (woken_at) WHERE outcome IS NULL;
CREATE INDEX inbox_by_turn ON inbox (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX inbox_commands ON inbox (woken_at) WHERE outcome IS NULL AND kind = 'command';
CREATE INDEX inbox_pending ON inbox (session_key, sent_at, sent_seq, id) WHERE outcome IS NULL;
CREATE INDEX inbox_replaced ON inbox (replaced_by) WHERE replaced_by IS NOT NULL;
CREATE INDEX inbox_throttled ON inbox (throttled_at) WHERE outcome IS NULL AND throttled_at IS NOT NULL;
CREATE INDEX inbox_expired ON inbox (session_key, id) WHERE reset <> '';
CREATE INDEX inbox_without_heir ON inbox (session_key) WHERE replaced_by = 0;
CREATE INDEX inbox_placed ON inbox (session_key, id DESC) WHERE place IS NOT NULL;
CREATE INDEX inbox_fetching ON inbox (woken_at) WHERE files_until IS NOT NULL AND outcome IS NULL;
COMMENT ON TABLE inbox IS 'What was accepted from outside, before anything else happens to it. Inserted by the ingress dispatch; outcome set once, by a claim, a stop or the relay; NULL = waiting. A stop row names the turn it is for (target_turn), so it can never hit another. turn_id and claim say which claim of which turn took a message, so that a repeated claim finds its own. The unique constraint drops duplicates at any distance in time.';
COMMENT ON COLUMN inbox.account IS 'Bot of the channel that received it. Of kind background: what tells the conversation (the origin of its message): background, cron, hook, subagent, peer, heartbeat.';
COMMENT ON COLUMN inbox.mode IS 'How the message joins a conversation that is busy, decided when it was accepted.';
COMMENT ON COLUMN inbox.sender IS 'Name of who wrote it, where several people write; empty in direct messages.';
COMMENT ON COLUMN inbox.sent_at IS 'When it was written, by the clock of its platform but never later than its acceptance. Waiting messages are claimed in the order of sent_at, sent_seq, id.';
COMMENT ON COLUMN inbox.not_before IS 'It may not be claimed earlier: more of the same burst may follow.';
COMMENT ON COLUMN inbox.reset IS 'The conversation had expired when it was accepted; the next claim of a message begins a new one before it, also where this row was dropped, taken back or answered at once.';
COMMENT ON COLUMN inbox.options IS 'chat.Options: what directives said for this message alone.';
COMMENT ON COLUMN inbox.replaced_by IS 'The newer message that superseded or summarized it; that one''s claim brings it into the transcript. 0: that one gets no turn, and the next message that is claimed brings it.';
COMMENT ON COLUMN inbox.original IS 'What was accepted, where its sender changed it while it waited: a repeated delivery carries this text. NULL: body.';
COMMENT ON COLUMN inbox.throttled_at IS 'A claim was refused because a limit was reached: its place among those who wait for a free turn.';
COMMENT ON COLUMN inbox.granted_until IS 'A freed turn is kept for it until then.';
COMMENT ON COLUMN inbox.throttle_told_at IS 'The person was told, in words, that it waits for a free turn.';
COMMENT ON COLUMN inbox.place IS 'chat.Address: where what answers it is delivered. NULL: its sender reads the events of the session.';
COMMENT ON COLUMN inbox.files IS 'How many files came with the message: rows of inbox_files.';
COMMENT ON COLUMN inbox.files_until IS 'Its files are being fetched: until then it may not be claimed. NULL: there are none, or they are done.';

CREATE TABLE tenants_served (
    user_id    bigint      PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    granted_at timestamptz NOT NULL
);
COMMENT ON TABLE tenants_served IS 'When somebody who waited in line was handed a turn last: among those with as many turns, who was served longest ago is next. Written by whoever hands out turns.';

CREATE TABLE refusals (
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    user_id     bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    said_at     timestamptz NOT NULL DEFAULT now(),
    said        integer     NOT NULL DEFAULT 1,
    unsaid      integer     NOT NULL DEFAULT 0,
    PRIMARY KEY (session_key, user_id)
);
COMMENT ON TABLE refusals IS 'Who found the queue of a conversation full: when they were first told so in a minute, how often since, and how many more of their messages found no room in it. Written by the ingress, which bounds how often it tells them.';

CREATE VIEW turn_slots AS
SELECT t.session_key FROM turns t JOIN sessions s ON s.key = t.session_key WHERE t.state = 'running' AND t.waits_since IS NULL AND s.chat_type <> 'subagent'
UNION
SELECT i.session_key FROM inbox i WHERE i.outcome IS NULL AND i.throttled_at IS NOT NULL AND i.granted_until > clock_timestamp();
COMMENT ON VIEW turn_slots IS 'Conversations that have a turn, or for which a freed one is kept. Subagents need none: whoever waits for them has one, and they have limits of their own. A turn that waits for its provider has none.';

CREATE TABLE steps (
    turn_id          text        NOT NULL REFERENCES turns ON DELETE CASCADE,
    step             int         NOT NULL,
    state            text        NOT NULL CHECK (state IN ('open', 'done')),
    failures         int         NOT NULL DEFAULT 0,
    finish           text        NOT NULL DEFAULT '',
    fault            text        NOT NULL DEFAULT '',
    prompt_hash      bytea       REFERENCES prompts,
    started_at       timestamptz NOT NULL DEFAULT now(),
    finished_at      timestamptz,
    control_upto     bigint      NOT NULL DEFAULT 0,
    compaction_id    bigint,
    message_upto     bigint      NOT NULL DEFAULT 0,
    reminder         text        NOT NULL DEFAULT '',
    pruned           boolean     NOT NULL DEFAULT false,
    request_hash     bytea,
    request_bytes    int         NOT NULL DEFAULT 0,
    estimated_tokens int         NOT NULL DEFAULT 0,
    fill             float8      NOT NULL DEFAULT 0,
    pruned_upto      bigint      NOT NULL DEFAULT 0,
    pictures_from    bigint      NOT NULL DEFAULT 0,
    pictures_skipped int         NOT NULL DEFAULT 0,
    PRIMARY KEY (turn_id, step)
);
-- Pruning a prompt looks for who refers to it, and so does the foreign key.
CREATE INDEX steps_prompt ON steps (prompt_hash) WHERE prompt_hash IS NOT NULL;
COMMENT ON TABLE steps IS 'One row an LLM call. Written by the generate activity: failures counts provider failures (not crashes), state done holds the decision, which a repeated attempt returns instead of calling the model again.';
COMMENT ON COLUMN steps.request_hash IS 'SHA-256 of all that was sent. The request can be made again from prompt_hash, compaction_id, the messages up to message_upto, the controls up to control_upto, reminder and pruned; the hash tells whether it is the same.';
COMMENT ON COLUMN steps.fill IS 'How full the context was when results were pruned for this request, as part of the window; 0: nothing was pruned.';
COMMENT ON COLUMN steps.pruned_upto IS 'Newest message that was looked at when results were pruned for this request; what came after it stayed whole. 0: all of them were.';
COMMENT ON COLUMN steps.pictures_from IS 'The first message whose pictures the request showed; 0: it showed none.';
COMMENT ON COLUMN steps.pictures_skipped IS 'How many of the first pictures of that message were left out, so that the request stayed within its bounds. 0 also for steps from before there were any: they showed all.';

CREATE TABLE messages (
    id                bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_key       text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    turn_id           text        REFERENCES turns ON DELETE CASCADE,
    step              int,
    role              text        NOT NULL CHECK (role IN ('user', 'assistant', 'notice')),
    content           text        NOT NULL,
    preface           text        NOT NULL DEFAULT '',
    reasoning         text        NOT NULL DEFAULT '',
    opaque            bytea,
    display_only      boolean     NOT NULL DEFAULT false,
    inbox_id          bigint,
    client_message_id text        NOT NULL DEFAULT '',
    model             text        NOT NULL DEFAULT '',
    finish            text        NOT NULL DEFAULT '',
    prompt_tokens     int         NOT NULL DEFAULT 0,
    cached_tokens     int         NOT NULL DEFAULT 0,
    completion_tokens int         NOT NULL DEFAULT 0,
    created_at        timestamptz NOT NULL DEFAULT now(),
    origin            text        NOT NULL DEFAULT '' CHECK (origin IN (
        '', 'command', 'background', 'context', 'superseded', 'summarized', 'overheard', 'reset', 'continue', 'cron', 'hook', 'subagent', 'peer', 'heartbeat',
        'person', 'client')),
    rewound_by        bigint,
    sender            text        NOT NULL DEFAULT '',
    shown             text,
    silent            boolean     NOT NULL DEFAULT false,
    deliver           boolean     NOT NULL DEFAULT true,
    pictures          jsonb       NOT NULL DEFAULT '[]',
    branch_of         bigint,
    spells            int8multirange NOT NULL DEFAULT '{}'
);
CREATE INDEX messages_by_session ON messages (session_key, id);
CREATE UNIQUE INDEX messages_one_answer_a_step ON messages (turn_id, step) WHERE role = 'assistant';
CREATE UNIQUE INDEX messages_one_a_row ON messages (inbox_id, role) WHERE inbox_id IS NOT NULL;
CREATE INDEX messages_branch ON messages (branch_of) WHERE branch_of IS NOT NULL;
COMMENT ON TABLE messages IS 'The transcript, append-only. User rows by the claim, assistant rows by the generate activity, notices by whoever must tell the person something. preface is what the model reads before a user message (time and folder at the claim, fixed so that prompts stay cacheable). opaque is what a provider wants back (signed thinking blocks). Tool results are in tool_calls.';
COMMENT ON COLUMN messages.inbox_id IS 'The accepted row a user message came from; for the answer of a command, the row of the command.';
COMMENT ON COLUMN messages.origin IS 'Where it came from if not from a person''s ordinary message: chat.Origin*. The model sees neither command nor context nor reset.';
COMMENT ON COLUMN messages.rewound_by IS 'Control record that took the message out of the conversation; NULL: it is in.';
COMMENT ON COLUMN messages.sender IS 'Name of who wrote it, where several people write.';
COMMENT ON COLUMN messages.shown IS 'What people see of an answer from which hidden parts were taken out; NULL: content.';
COMMENT ON COLUMN messages.silent IS 'The model chose not to answer; people are shown nothing.';
COMMENT ON COLUMN messages.deliver IS 'false: the send policy kept it from the channel.';
COMMENT ON COLUMN messages.pictures IS 'The pictures that the message shows, in their order: names of rows of pictures.';
COMMENT ON COLUMN messages.branch_of IS 'The oldest of the versions of this message, which was asked again or changed; NULL: it is that one, or the only one. At most one version and what follows it is in the conversation.';
COMMENT ON COLUMN messages.spells IS 'Between which control records the message was out of the conversation before it was brought back, so that a request of then can be made again.';

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
COMMENT ON TABLE word_indexes IS 'Which texts are indexed by words, and in which form. Written by the loop of store search, a row by one process at a time.';
COMMENT ON COLUMN word_indexes.version IS 'The newest version of internal/memory/lexical that has begun to index the texts again.';
COMMENT ON COLUMN word_indexes.below IS 'Texts with smaller ids are still to be indexed in this version, the newest first; 0: none.';
INSERT INTO word_indexes (name) VALUES ('messages'), ('archival_memory'), ('event_history');

CREATE TABLE controls (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    kind        text        NOT NULL CHECK (kind IN ('mask', 'compact', 'edit', 'stale', 'rewind', 'undo', 'reset')),
    message_id  bigint      NOT NULL,
    turn_id     text        NOT NULL DEFAULT '',
    key         text        NOT NULL DEFAULT '',
    body        jsonb       NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    away_by     bigint,
    spells      int8multirange NOT NULL DEFAULT '{}'
);
CREATE INDEX controls_by_message ON controls (session_key, message_id);
CREATE UNIQUE INDEX controls_once ON controls (session_key, key) WHERE key <> '';
CREATE INDEX controls_newest ON controls (session_key, id);
CREATE INDEX controls_resets ON controls (session_key, id) WHERE kind = 'reset';
COMMENT ON TABLE controls IS 'Records that change what the model sees of a conversation, append-only; messages themselves are never rewritten. mask, stale by the generate activity, compact by the compress activity, edit and undo by the context_edit tool, rewind by its command. message_id is the newest message that the record is about. key makes a record unique in its session, so that a repeated activity adds none. body is chat.Control.';
COMMENT ON COLUMN controls.away_by IS 'Of a compaction, a reset or an undo: the rewind since which it does not hold; NULL: it holds.';
COMMENT ON COLUMN controls.spells IS 'Between which control records it did not hold before it was brought back.';

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
ALTER TABLE pictures ALTER COLUMN data SET STORAGE EXTERNAL; -- they are compressed already
COMMENT ON TABLE pictures IS 'Pictures of a conversation as models are shown them: made smaller, upright, without what a camera wrote. Written before the message, or with the result, that shows them, and kept as long as the conversation, so that each request can be made again.';
COMMENT ON COLUMN pictures.hash IS 'SHA-256 of data, in hexadecimal digits.';

CREATE TABLE inbox_files (
    id         bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    inbox_id   bigint  REFERENCES inbox ON DELETE SET NULL,
    n          int     NOT NULL,
    user_id    bigint  NOT NULL REFERENCES users ON DELETE CASCADE,
    kind       text    NOT NULL,
    key        text    NOT NULL,
    name       text    NOT NULL DEFAULT '',
    size       bigint  NOT NULL DEFAULT 0,
    state      text    NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'stored', 'failed', 'removed')),
    runner     text    NOT NULL DEFAULT '',
    path       text    NOT NULL DEFAULT '',
    problem    text    NOT NULL DEFAULT '',
    stored_at  timestamptz,
    of_message text    NOT NULL DEFAULT '',
    picture    jsonb,
    transcript text    NOT NULL DEFAULT '',
    unheard    text    NOT NULL DEFAULT '',
    pages      integer NOT NULL DEFAULT 0,
    unshown    text    NOT NULL DEFAULT '',
    UNIQUE (inbox_id, n)
);
CREATE INDEX inbox_files_stored ON inbox_files (user_id, stored_at) WHERE state = 'stored';
COMMENT ON TABLE inbox_files IS 'Files that people sent with messages on platforms. Inserted with the message; the Fetch workflow brings each to the runner of the conversation and writes where it is, or why it is not there; removed there when it is old.';
COMMENT ON COLUMN inbox_files.user_id IS 'Whose conversation it is: its runner is one of theirs.';
COMMENT ON COLUMN inbox_files.key IS 'The name or address of the content on the platform.';
COMMENT ON COLUMN inbox_files.of_message IS 'The platform''s id of the message that holds the file, where that is the one that is answered to; empty: it came with its message.';
COMMENT ON COLUMN inbox_files.picture IS 'The picture that was made of the file; null: it is none, or cannot be shown.';
COMMENT ON COLUMN inbox_files.transcript IS 'What is said in a stored file of sound. Written with its place, once; empty: it is none, or nothing was made out.';
COMMENT ON COLUMN inbox_files.unheard IS 'Why a stored file of sound has no transcript.';
COMMENT ON COLUMN inbox_files.pages IS 'How many pages the file has if it is a PDF that could be read; 0: it is none, or not known.';
COMMENT ON COLUMN inbox_files.unshown IS 'Why no picture was made of a stored file that is one or is called one.';

CREATE TABLE tool_calls (
    id                text    PRIMARY KEY,
    session_key       text    NOT NULL REFERENCES sessions ON DELETE CASCADE,
    turn_id           text    NOT NULL REFERENCES turns ON DELETE CASCADE,
    step              int     NOT NULL,
    n                 int     NOT NULL,
    message_id        bigint  NOT NULL REFERENCES messages ON DELETE CASCADE,
    provider_id       text    NOT NULL DEFAULT '',
    name              text    NOT NULL,
    class             text    NOT NULL CHECK (class IN ('read', 'idempotent', 'exec', 'once', 'agent', 'client')),
    arguments         text    NOT NULL,
    summary           text    NOT NULL DEFAULT '',
    state             text    NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'running', 'done')),
    runner            text    NOT NULL DEFAULT '',
    started_on        text    NOT NULL DEFAULT '',
    intent            text    NOT NULL DEFAULT '',
    started_at        timestamptz,
    result            text    NOT NULL DEFAULT '',
    is_error          boolean NOT NULL DEFAULT false,
    finished_at       timestamptz,
    task              text    NOT NULL DEFAULT '',
    rule              text    NOT NULL DEFAULT 'allow' CHECK (rule IN ('allow', 'ask', 'deny', 'plan')),
    approval          text    NOT NULL DEFAULT '' CHECK (approval IN ('', 'open', 'allowed', 'denied', 'void')),
    reason            text    NOT NULL DEFAULT '',
    note              text    NOT NULL DEFAULT '',
    asked_at          timestamptz,
    answered_at       timestamptz,
    answered_by       text    NOT NULL DEFAULT '',
    answer_key        text    NOT NULL DEFAULT '',
    answer_woken_at   timestamptz,
    offload           text    NOT NULL DEFAULT '',
    questions         jsonb,
    answers           jsonb,
    hook              text    NOT NULL DEFAULT '' CHECK (hook IN ('', 'due', 'passed', 'deferred', 'denied')),
    hook_after        boolean NOT NULL DEFAULT false,
    hook_note         text    NOT NULL DEFAULT '',
    written_arguments text,
    pictures          jsonb   NOT NULL DEFAULT '[]',
    always            jsonb,
    preview           text    NOT NULL DEFAULT '',
    diff              text    NOT NULL DEFAULT '',
    asked_arguments   text,
    plan              jsonb,
    sources           jsonb   NOT NULL DEFAULT '[]',
    judged            boolean NOT NULL DEFAULT false,
    judged_digest     text    NOT NULL DEFAULT '',
    UNIQUE (turn_id, step, n)
);
CREATE INDEX tool_calls_by_message ON tool_calls (message_id);
CREATE INDEX tool_calls_approval_open ON tool_calls (session_key) WHERE approval = 'open';
CREATE INDEX tool_calls_answer_key ON tool_calls (session_key, answer_key) WHERE answer_key <> '';
CREATE INDEX tool_calls_answer_unseen ON tool_calls (answer_woken_at) WHERE answer_woken_at IS NOT NULL;
CREATE INDEX tool_calls_by_session ON tool_calls (session_key, message_id);
CREATE INDEX tool_calls_deferred ON tool_calls (asked_at) WHERE hook = 'deferred' AND approval = 'open';
COMMENT ON TABLE tool_calls IS 'Calls an assistant message asked for, each with its one result. Inserted with the message by the generate activity; the tool activity writes runner when it begins, started_on (the job store of the runner) before a command is first sent, and the result, first writer wins; intent is what a call noted before it acted, so that a repeated attempt can tell done from not done. A call and its result are one row, so no transcript can hold one without the other.';
COMMENT ON COLUMN tool_calls.class IS 'How a call is scheduled and what a crash may do to it. client: the program that sent the message runs it; its result is written by the intake of that program''s next request, which sets started_at, and until then it is a sentence that there is none.';
COMMENT ON COLUMN tool_calls.task IS 'Short id of the background task that the call''s command became; written with the result.';
COMMENT ON COLUMN tool_calls.rule IS 'What the rules of the user said when the step was committed; a change of the rules never reaches a call that exists. plan: refused, since the turn wants an approved plan first.';
COMMENT ON COLUMN tool_calls.approval IS 'The question to a person whether the call may run. Opened by the turn (with reason and asked_at), answered by the ingress (with note, answered_at, answered_by) or by the turn when nobody did in time; void when the call got its result first.';
COMMENT ON COLUMN tool_calls.answer_key IS 'Id of the message that answered without naming a call, so that the same message sent again finds its answer instead of another question.';
COMMENT ON COLUMN tool_calls.answer_woken_at IS 'Set while the turn has not acted on an answer yet: when it was last woken for it, by the ingress or the relay.';
COMMENT ON COLUMN tool_calls.offload IS 'Id of the offload that holds the whole result; result is its summary then.';
COMMENT ON COLUMN tool_calls.questions IS 'What the call asks a person (AskUser), checked when the step was committed: a list of name, text, options, multi, other. NULL: it asks nothing of its own. Its approval is then the state of these questions.';
COMMENT ON COLUMN tool_calls.answers IS 'What a person answered: for each name of a question a list of texts. Written with the approval by whoever answers.';
COMMENT ON COLUMN tool_calls.hook IS 'What hooks said before the call: due (they are to be asked; until then it does not run), passed, deferred (an administrator has to allow it), denied. Empty: no hook is meant for it. Set due by the commit of the step, else by the first outcome that is recorded.';
COMMENT ON COLUMN tool_calls.hook_after IS 'Whether hooks are told of its result.';
COMMENT ON COLUMN tool_calls.hook_note IS 'What the model is told with the result: what hooks said before the call, and that a person changed its arguments.';
COMMENT ON COLUMN tool_calls.written_arguments IS 'The arguments as the model wrote them, where a hook or a person has changed them. NULL: nobody has.';
COMMENT ON COLUMN tool_calls.pictures IS 'The pictures that the result shows, as in messages.';
COMMENT ON COLUMN tool_calls.always IS 'Rules that an answer with always sets, computed when the step was committed; null: the rule to allow the tool.';
COMMENT ON COLUMN tool_calls.preview IS 'What the call would have changed when the person was asked, as a unified diff; empty: not known.';
COMMENT ON COLUMN tool_calls.diff IS 'What the call changed in a file, as a unified diff, for people; may be cut. Empty: nothing, or not known.';
COMMENT ON COLUMN tool_calls.asked_arguments IS 'The arguments that a person was asked about, where they have changed them with their answer: arguments are those that they permitted. NULL: they have not.';
COMMENT ON COLUMN tool_calls.plan IS 'The plan that the call proposes (propose_plan), checked: title, steps, questions; as the person has edited it, once they approved it. NULL: it proposes none. A person alone approves it: no rule, no allowance of a turn and no answer to all calls does.';
COMMENT ON COLUMN tool_calls.sources IS 'The pages of the web that the result comes from, for people: [{url, title}], in the order of the result.';
COMMENT ON COLUMN tool_calls.judged IS 'Whether a rule for some commands allowed the call: then the words that were judged run, not the text of the command.';
COMMENT ON COLUMN tool_calls.judged_digest IS 'SHA-256 of the tool and the arguments that were judged last, hexadecimal: written with the arguments by the three that judge (the model''s answer, a hook''s change, a person''s change), compared before the call begins. Empty: the call is from before it was kept.';

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

CREATE TABLE tool_permissions (
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    tool       text        NOT NULL,
    rule       text        NOT NULL CHECK (rule IN ('allow', 'ask', 'deny')),
    updated_at timestamptz NOT NULL DEFAULT now(),
    pattern    text        NOT NULL DEFAULT '',
    pin        text        NOT NULL DEFAULT '',
    PRIMARY KEY (user_id, tool, pattern)
);
COMMENT ON TABLE tool_permissions IS 'What may happen when a tool is to be run for a user: with calls that the pattern means (the beginning of a command, a path, a host), or with all of them where it is empty. Written by the permissions API and by an answer that holds for always. No row: the presets of the conversation and the user, then the installation (XBOT_TOOL_RULES, policy).';
COMMENT ON COLUMN tool_permissions.pin IS 'Of a rule that allows a tool of an MCP server: parts of SHA-256 of its address, description, arguments and annotations as they were when it was allowed, or at its first call after that was kept. The rule asks where the tool is another one. Empty: it was not called since, or is no tool of a server.';
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF rule ON tool_permissions
    FOR EACH ROW EXECUTE FUNCTION note_change('permission', 'user_id', 'tool pattern', 'rule', '', '');

CREATE TABLE questions_shown (
    call_id  text        NOT NULL REFERENCES tool_calls ON DELETE CASCADE,
    channel  text        NOT NULL,
    account  text        NOT NULL,
    chat     text        NOT NULL,
    shown_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (call_id, channel, account, chat)
);
COMMENT ON TABLE questions_shown IS 'Chats of platforms, besides the one in which a call asked, where its question was shown to a person who wrote there. Written by the ingress, with the message. What is written in a chat is an answer only if the question was shown there.';

CREATE TABLE client_actions (
    call_id     text        PRIMARY KEY REFERENCES tool_calls ON DELETE CASCADE,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    user_id     bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    client      text        NOT NULL,
    action      text        NOT NULL CHECK (action IN ('open', 'theme', 'layout')),
    what        text        NOT NULL DEFAULT '',
    value       text        NOT NULL DEFAULT '',
    state       text        NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'taken', 'done', 'refused', 'expired')),
    reason      text        NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL,
    sent_at     timestamptz,
    taken_at    timestamptz,
    answered_at timestamptz
);
CREATE INDEX client_actions_of_client ON client_actions (session_key, client);
CREATE INDEX client_actions_by_user ON client_actions (user_id);
COMMENT ON TABLE client_actions IS 'What a model wants the page or the terminal to show that a message came from (tui_control). Written by the tool, by the event stream that sends it, and by the API with which the client answers.';
COMMENT ON COLUMN client_actions.client IS 'Which client is meant: what stands before the first dot in the id that it gave the newest message of the turn.';
COMMENT ON COLUMN client_actions.state IS 'open: nobody has taken it yet. taken: a client is carrying it out, or has died over it. done, refused: what the client said. expired: nobody answered in time, and nobody may any more.';
COMMENT ON COLUMN client_actions.expires_at IS 'From then on it is neither sent nor answered: it must not surprise whoever connects later.';
COMMENT ON COLUMN client_actions.sent_at IS 'When it was first sent to the client. NULL: the client was not listening.';
COMMENT ON COLUMN client_actions.taken_at IS 'When a client said that it carries it out. One client alone does: the one that was told that it may.';

-- +goose StatementBegin
CREATE FUNCTION may_reply(owner bigint, who bigint, turn text, asks boolean) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN may_answer(owner, who) OR asks AND EXISTS (SELECT 1 FROM inbox i WHERE i.turn_id = turn AND i.user_id = who);
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION may_reply IS 'Whether a user may say something to a call that waits: who may_answer, and to questions of the model also those whose messages the turn answers.';

-- +goose StatementBegin
CREATE FUNCTION may_decide(owner bigint, who bigint, turn text, asks boolean, hook text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN CASE WHEN hook = 'deferred' THEN EXISTS (SELECT 1 FROM users w WHERE w.id = who AND w.role = 'admin' AND w.kind = 'person')
                ELSE may_reply(owner, who, turn, asks) END;
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION may_decide IS 'Whether a user may say something to a call that waits: who may_reply; to one that a hook has deferred, administrators only.';

CREATE TABLE subagents (
    session_key text        PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    parent      text        NOT NULL,
    root        text        NOT NULL,
    role        text        NOT NULL,
    instance    text        NOT NULL,
    depth       int         NOT NULL CHECK (depth > 0),
    call_id     text        NOT NULL UNIQUE,
    profile     jsonb       NOT NULL,
    unloaded_at timestamptz,
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX subagents_by_name ON subagents (parent, lower(role), lower(instance)) WHERE instance <> '';
CREATE INDEX subagents_by_root ON subagents (root, created_at);
CREATE INDEX subagents_by_parent ON subagents (parent);
COMMENT ON TABLE subagents IS 'Sessions that another session has handed work to: parent is that one, root the one of a person above all. Without an instance it answers once. Inserted with its session and its first task, in one transaction, under the id of the call that asked for it, which makes a repeated call find it. profile is what its role was then. unloaded_at: nobody holds it; the next task loads it again. They are deleted with their parent.';

CREATE TABLE group_chats (
    id          text        PRIMARY KEY,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    call_id     text        NOT NULL UNIQUE,
    tree        text        NOT NULL,
    topic       text        NOT NULL,
    max_rounds  int         NOT NULL CHECK (max_rounds BETWEEN 1 AND 50),
    asked       int         NOT NULL DEFAULT 0,
    lines       int         NOT NULL DEFAULT 0,
    ended       text        NOT NULL DEFAULT '' CHECK (ended IN ('', 'rounds', 'agreed', 'closed', 'budget', 'failed', 'gone')),
    checked_at  timestamptz NOT NULL DEFAULT now(),
    created_at  timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz,
    members     int         NOT NULL DEFAULT 0
);
CREATE INDEX group_chats_open ON group_chats (checked_at) WHERE ended = '';
CREATE INDEX group_chats_by_session ON group_chats (session_key, created_at);
COMMENT ON TABLE group_chats IS 'Conversations among subagents of a session, by the call that made them. members is how many were invited, asked counts how often one was asked to speak, lines what was said. The transaction that writes ended tells the session. checked_at: when the relay or its workflow looked at it last.';

CREATE TABLE group_members (
    group_id    text NOT NULL REFERENCES group_chats ON DELETE CASCADE,
    n           int  NOT NULL,
    session_key text NOT NULL REFERENCES subagents ON DELETE CASCADE,
    name        text NOT NULL,
    heard       int  NOT NULL DEFAULT 0,
    PRIMARY KEY (group_id, n),
    UNIQUE (group_id, session_key)
);
CREATE INDEX group_members_by_session ON group_members (session_key);
COMMENT ON TABLE group_members IS 'Who speaks in a group chat, in their order; written with it. heard is the last line that the member was told.';

CREATE TABLE group_lines (
    group_id   text        NOT NULL REFERENCES group_chats ON DELETE CASCADE,
    seq        int         NOT NULL,
    speaker    int         NOT NULL,
    key        text        NOT NULL,
    said       text        NOT NULL,
    outcome    text        NOT NULL CHECK (outcome IN ('done', 'passed', 'stopped', 'failed', 'lost')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (group_id, seq),
    UNIQUE (group_id, key)
);
COMMENT ON TABLE group_lines IS 'What was said in a group chat, once for each key: the task of the member, or the call of who made the chat, which is speaker -1. The transaction that ends the turn of the member writes it.';

CREATE TABLE subagent_tasks (
    call_id     text        PRIMARY KEY,
    session_key text        NOT NULL REFERENCES subagents ON DELETE CASCADE,
    asked_in    text        NOT NULL,
    tree        text        NOT NULL,
    background  boolean     NOT NULL,
    words       text        NOT NULL,
    turn_id     text        REFERENCES turns ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    outcome     text        NOT NULL DEFAULT '' CHECK (outcome IN ('', 'done', 'stopped', 'failed', 'lost')),
    woken_at    timestamptz,
    created_at  timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz,
    group_id    text        REFERENCES group_chats ON DELETE CASCADE,
    walled      boolean     NOT NULL DEFAULT false
);
CREATE INDEX subagent_tasks_by_turn ON subagent_tasks (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX subagent_tasks_by_asker ON subagent_tasks (asked_in);
CREATE INDEX subagent_tasks_by_tree ON subagent_tasks (tree);
CREATE INDEX subagent_tasks_by_session ON subagent_tasks (session_key);
CREATE INDEX subagent_tasks_unseen ON subagent_tasks (woken_at) WHERE woken_at IS NOT NULL;
CREATE INDEX subagent_tasks_by_group ON subagent_tasks (group_id) WHERE group_id IS NOT NULL;
COMMENT ON TABLE subagent_tasks IS 'What subagents were asked, by the call that asked: one row a spawn or send, inserted with the inbox row of the task. asked_in is the turn of the call, tree the turn of a person that all of it follows from. turn_id is the turn that claimed it. The transaction that ends this turn writes outcome, with the result of the call or, in the background, the inbox row that tells the parent. woken_at is set while the asking turn has not seen the result: when it was last woken for it.';
COMMENT ON COLUMN subagent_tasks.walled IS 'Whether the turn that asked wanted a plan then: the task is worked on by reading alone, also where it begins after the approval.';

CREATE TABLE peer_messages (
    call_id     text        PRIMARY KEY,
    turn_id     text        NOT NULL,
    sender      text        NOT NULL,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    hops        int         NOT NULL CHECK (hops > 0),
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX peer_messages_by_turn ON peer_messages (turn_id);
CREATE INDEX peer_messages_by_session ON peer_messages (session_key);
COMMENT ON TABLE peer_messages IS 'What a conversation has sent to another one of the same person, by the call that sent it; written with the inbox row that tells it. hops counts the messages that led to it since a person wrote.';

CREATE TABLE coding_threads (
    session_key   text        PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    agent         text        NOT NULL,
    thread        text        NOT NULL,
    runner        text        NOT NULL,
    dir           text        NOT NULL,
    upto          bigint      NOT NULL DEFAULT 0,
    reset_id      bigint      NOT NULL DEFAULT 0,
    input_tokens  bigint      NOT NULL DEFAULT 0,
    cached_tokens bigint      NOT NULL DEFAULT 0,
    output_tokens bigint      NOT NULL DEFAULT 0,
    updated_at    timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE coding_threads IS 'With which thread of a coding agent a conversation goes on. Written by the steps of turns that such an agent answers, and by the command that binds a thread.';
COMMENT ON COLUMN coding_threads.thread IS 'The agent''s own name of its conversation.';
COMMENT ON COLUMN coding_threads.upto IS 'The newest message of the conversation that the agent was given. Where it was taken back, the thread is not gone on with.';
COMMENT ON COLUMN coding_threads.reset_id IS 'Where the conversation began when the thread was written. Once it has begun anew, the thread is not gone on with.';

CREATE TABLE coding_runs (
    turn_id     text   NOT NULL REFERENCES turns ON DELETE CASCADE,
    round       int    NOT NULL,
    session_key text   NOT NULL REFERENCES sessions ON DELETE CASCADE,
    request     jsonb  NOT NULL,
    upto        bigint NOT NULL,
    runner      text   NOT NULL,
    store       text   NOT NULL DEFAULT '',
    ended_at    timestamptz,
    PRIMARY KEY (turn_id, round)
);
CREATE INDEX coding_runs_of_session ON coding_runs (session_key);
COMMENT ON TABLE coding_runs IS 'Processes of coding agents, one a round of a turn. Written before a process is started, so that an attempt that comes later finds the same process with the same request; ended_at once its turn is over, or it was killed. Those of earlier turns go when a conversation begins another one.';
COMMENT ON COLUMN coding_runs.upto IS 'The newest message that stands in the request.';
COMMENT ON COLUMN coding_runs.store IS 'The job store of the runner that the process was sent to, empty before that.';

ALTER TABLE sessions ADD CONSTRAINT sessions_compaction_id_fkey FOREIGN KEY (compaction_id) REFERENCES controls ON DELETE SET NULL;
ALTER TABLE sessions ADD CONSTRAINT sessions_reset_id_fkey FOREIGN KEY (reset_id) REFERENCES controls ON DELETE SET NULL;

-- +goose Down
ALTER TABLE sessions DROP CONSTRAINT sessions_compaction_id_fkey;
ALTER TABLE sessions DROP CONSTRAINT sessions_reset_id_fkey;
DROP TABLE coding_runs, coding_threads, peer_messages, subagent_tasks, group_lines, group_members, group_chats, subagents;
DROP FUNCTION may_decide, may_reply;
DROP TABLE client_actions, questions_shown, tool_permissions, offloads, blobs, tool_calls, inbox_files, pictures, controls, word_indexes, message_words, messages, steps;
DROP VIEW turn_slots;
DROP TABLE refusals, tenants_served, inbox, turns, feed_events, todos, active_tools, session_parts, prompts, shares, link_codes, session_aliases, sessions;
