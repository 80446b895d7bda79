-- +goose Up
CREATE TABLE sessions (
    key                 text        PRIMARY KEY CHECK (key <> '' AND octet_length(key) <= 512),
    user_id             bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    channel             text        NOT NULL,
    title               text        NOT NULL DEFAULT '',
    pinned              boolean     NOT NULL DEFAULT false,
    cwd                 text        NOT NULL DEFAULT '',
    runner              text        NOT NULL DEFAULT 'local',
    feed_seq            bigint      NOT NULL DEFAULT 0,
    created_at          timestamptz NOT NULL DEFAULT now(),
    last_interaction_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_by_user ON sessions (user_id, last_interaction_at DESC);
COMMENT ON TABLE sessions IS 'One row a conversation. Created by the ingress; cwd by the Cd tool; feed_seq counts the durable events of the session and is raised last in each transaction that adds some.';

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
    held_told_at      timestamptz
);
CREATE UNIQUE INDEX turns_one_running ON turns (session_key) WHERE state = 'running';
CREATE INDEX turns_by_session ON turns (session_key, started_at DESC);
CREATE INDEX turns_running_unchecked ON turns (checked_at) WHERE state = 'running';
COMMENT ON TABLE turns IS 'One row a turn, id = original run id of its workflow. Written by the claim, the steps and the finish of the turn; closed by the relay when the run is gone. The partial unique index is the last line of the per-session order.';

CREATE TABLE inbox (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_key   text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    user_id       bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    kind          text        NOT NULL CHECK (kind IN ('message', 'stop')),
    channel       text        NOT NULL,
    account       text        NOT NULL DEFAULT '',
    platform_id   text        NOT NULL,
    body          text        NOT NULL DEFAULT '',
    target_turn   text,
    accepted_at   timestamptz NOT NULL DEFAULT now(),
    turn_id       text        REFERENCES turns ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    claim         int,
    outcome       text        CHECK (outcome IN ('claimed', 'stopped', 'rejected', 'applied', 'stale')),
    releases      int         NOT NULL DEFAULT 0,
    woken_at      timestamptz NOT NULL DEFAULT now(),
    wakes         int         NOT NULL DEFAULT 0,
    held_told_at  timestamptz,
    CONSTRAINT inbox_platform_id UNIQUE (channel, account, user_id, platform_id)
);
CREATE INDEX inbox_pending ON inbox (session_key, id) WHERE outcome IS NULL;
CREATE INDEX inbox_to_wake ON inbox (woken_at) WHERE outcome IS NULL;
CREATE INDEX inbox_by_turn ON inbox (turn_id) WHERE turn_id IS NOT NULL;
COMMENT ON TABLE inbox IS 'What was accepted from outside, before anything else happens to it. Inserted by the ingress dispatch; outcome set once, by a claim, a stop or the relay; NULL = waiting. A stop row names the turn it is for (target_turn), so it can never hit another. turn_id and claim say which claim of which turn took a message, so that a repeated claim finds its own. The unique constraint drops duplicates at any distance in time.';

-- +goose Down
DROP TABLE inbox, turns, sessions;
