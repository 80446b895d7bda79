-- +goose Up
ALTER TABLE users ADD COLUMN met boolean NOT NULL DEFAULT false;
CREATE INDEX users_by_lower_name ON users (lower(name));
COMMENT ON COLUMN users.met IS 'Made by the gateway when somebody wrote on a channel: the name is what they call themselves there, and proves nothing.';

ALTER TABLE identities ADD COLUMN kind text NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'group', 'channel', 'link'));
ALTER TABLE identities DROP CONSTRAINT identities_pkey, ADD PRIMARY KEY (kind, channel, account, peer);
CREATE INDEX identities_by_user ON identities (user_id);
COMMENT ON COLUMN identities.kind IS 'What the peer is: a person, a group or channel of a platform (their users are of kind group), or a name of identityLinks in the policy.';

ALTER TABLE access_grants ADD COLUMN told_at timestamptz;
COMMENT ON COLUMN access_grants.told_at IS 'When the person was told, with the first message they wrote afterwards.';

ALTER TABLE link_codes ADD COLUMN session_key text REFERENCES sessions ON DELETE SET NULL;
COMMENT ON COLUMN link_codes.session_key IS 'Conversation that the code was asked for in; it is told who used the code.';

ALTER TABLE overheard ADD COLUMN taken boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN overheard.taken IS 'It came into the transcript, or was too old to be kept. Its text is gone; the row stays for 30 days, so that the same message is not taken for a new one.';

-- +goose StatementBegin
CREATE FUNCTION may_answer(owner bigint, who bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT owner = who OR EXISTS (
        SELECT 1 FROM users o, users w
        WHERE o.id = owner AND o.kind = 'group' AND w.id = who AND w.role = 'admin' AND w.kind = 'person'
    )
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION may_answer IS 'Whether a user may say that a tool call of a conversation runs: its owner; in a group, which is nobody who could be asked, an administrator.';

-- +goose Down
DROP FUNCTION may_answer;
DELETE FROM overheard WHERE taken;
ALTER TABLE overheard DROP COLUMN taken;
ALTER TABLE link_codes DROP COLUMN session_key;
ALTER TABLE access_grants DROP COLUMN told_at;
DROP INDEX identities_by_user;
DELETE FROM identities WHERE kind <> 'person';
ALTER TABLE identities DROP CONSTRAINT identities_pkey, ADD PRIMARY KEY (channel, account, peer);
ALTER TABLE identities DROP COLUMN kind;
DROP INDEX users_by_lower_name;
ALTER TABLE users DROP COLUMN met;
