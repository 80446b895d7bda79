-- +goose Up
CREATE TABLE agent_secrets (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    agent    text        NOT NULL CHECK (agent <> '' AND length(agent) <= 64),
    name     text        NOT NULL CHECK (name ~ '^[A-Za-z_][A-Za-z0-9_]{0,63}$'),
    sealed   bytea       NOT NULL,
    revision bigint      NOT NULL DEFAULT 1,
    set_at   timestamptz NOT NULL DEFAULT now(),
    UNIQUE (agent, name)
);
COMMENT ON TABLE agent_secrets IS 'Secret variables of the commands of agents. Written by operators, with xbot env.';
COMMENT ON COLUMN agent_secrets.agent IS 'The id of the agent in the policy.';
COMMENT ON COLUMN agent_secrets.sealed IS 'Agent, name and value, as JSON, sealed with the installation''s key.';
COMMENT ON COLUMN agent_secrets.revision IS 'Counts values, and not how often one is sealed anew.';
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON agent_secrets
    FOR EACH ROW EXECUTE FUNCTION note_change('variable', '', 'agent name', '', 'sealed', '');
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, subscription, key, mcp, provider, account, channel, access, person, invite, deletion, schedule, trigger, role, variable.';

-- +goose Down
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, subscription, key, mcp, provider, account, channel, access, person, invite, deletion, schedule, trigger, role.';
DROP TABLE agent_secrets;
