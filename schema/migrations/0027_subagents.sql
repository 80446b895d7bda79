-- +goose Up
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
    ended_at    timestamptz
);
CREATE INDEX subagent_tasks_by_turn ON subagent_tasks (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX subagent_tasks_by_asker ON subagent_tasks (asked_in);
CREATE INDEX subagent_tasks_by_tree ON subagent_tasks (tree);
CREATE INDEX subagent_tasks_by_session ON subagent_tasks (session_key);
CREATE INDEX subagent_tasks_unseen ON subagent_tasks (woken_at) WHERE woken_at IS NOT NULL;
COMMENT ON TABLE subagent_tasks IS 'What subagents were asked, by the call that asked: one row a spawn or send, inserted with the inbox row of the task. asked_in is the turn of the call, tree the turn of a person that all of it follows from. turn_id is the turn that claimed it. The transaction that ends this turn writes outcome, with the result of the call or, in the background, the inbox row that tells the parent. woken_at is set while the asking turn has not seen the result: when it was last woken for it.';

ALTER TABLE tool_calls DROP CONSTRAINT tool_calls_class_check;
ALTER TABLE tool_calls ADD CONSTRAINT tool_calls_class_check CHECK (class IN ('read', 'idempotent', 'exec', 'once', 'agent'));

CREATE OR REPLACE VIEW session_tenants AS
SELECT s.key AS session_key, s.user_id, s.chat_type = 'subagent' AS subagent,
       s.model = '' AND NOT EXISTS (SELECT 1 FROM user_settings c WHERE c.user_id = s.user_id AND c.key = 'llm_source' AND c.value = 'server')
       AND EXISTS (
           SELECT 1 FROM runners r
           WHERE r.user_id = s.user_id AND r.revoked_at IS NULL AND r.info -> 'llm' IS NOT NULL AND r.name NOT IN ('local', '__docker__')
             AND r.name = coalesce(nullif(s.runner, ''), (SELECT a.value FROM user_settings a WHERE a.user_id = s.user_id AND a.key = 'active_runner'), '')
       ) AS own
FROM sessions s;

CREATE OR REPLACE VIEW turn_slots AS
SELECT t.session_key FROM turns t JOIN sessions s ON s.key = t.session_key WHERE t.state = 'running' AND s.chat_type <> 'subagent'
UNION
SELECT i.session_key FROM inbox i WHERE i.outcome IS NULL AND i.throttled_at IS NOT NULL AND i.granted_until > clock_timestamp();
COMMENT ON VIEW turn_slots IS 'Conversations that have a turn, or for which a freed one is kept. Subagents need none: whoever waits for them has one, and they have limits of their own.';

-- +goose Down
CREATE OR REPLACE VIEW turn_slots AS
SELECT t.session_key FROM turns t WHERE t.state = 'running'
UNION
SELECT i.session_key FROM inbox i WHERE i.outcome IS NULL AND i.throttled_at IS NOT NULL AND i.granted_until > clock_timestamp();
CREATE OR REPLACE VIEW session_tenants AS
SELECT s.key AS session_key, s.user_id, s.key LIKE 'agent:%:subagent:%' AS subagent,
       s.model = '' AND NOT EXISTS (SELECT 1 FROM user_settings c WHERE c.user_id = s.user_id AND c.key = 'llm_source' AND c.value = 'server')
       AND EXISTS (
           SELECT 1 FROM runners r
           WHERE r.user_id = s.user_id AND r.revoked_at IS NULL AND r.info -> 'llm' IS NOT NULL AND r.name NOT IN ('local', '__docker__')
             AND r.name = coalesce(nullif(s.runner, ''), (SELECT a.value FROM user_settings a WHERE a.user_id = s.user_id AND a.key = 'active_runner'), '')
       ) AS own
FROM sessions s;
UPDATE tool_calls SET class = 'once' WHERE class = 'agent';
ALTER TABLE tool_calls DROP CONSTRAINT tool_calls_class_check;
ALTER TABLE tool_calls ADD CONSTRAINT tool_calls_class_check CHECK (class IN ('read', 'idempotent', 'exec', 'once'));
DROP TABLE subagent_tasks, subagents;
