-- +goose Up
ALTER TABLE memories ADD COLUMN agent text NOT NULL DEFAULT 'main' CHECK (agent <> '');
ALTER TABLE memories DROP CONSTRAINT memories_pkey;
ALTER TABLE memories ADD PRIMARY KEY (user_id, agent, path);
COMMENT ON COLUMN memories.agent IS 'Whose note it is: each agent has a memory of its own, main is the one that the default agent has and that others may share.';

-- +goose Down
DELETE FROM memories WHERE agent <> 'main';
ALTER TABLE memories DROP CONSTRAINT memories_pkey;
ALTER TABLE memories ADD PRIMARY KEY (user_id, path);
ALTER TABLE memories DROP COLUMN agent;
