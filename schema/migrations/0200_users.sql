-- +goose Up
-- Users: accounts, how people sign in, and who they are on channels.

CREATE TABLE users (
    id            bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name          text        NOT NULL UNIQUE CHECK (name <> ''),
    role          text        NOT NULL CHECK (role IN ('admin', 'member')),
    password_hash text        NOT NULL DEFAULT '',
    created_at    timestamptz NOT NULL DEFAULT now(),
    kind          text        NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'group', 'service', 'consumer')),
    met           boolean     NOT NULL DEFAULT false,
    disabled_at   timestamptz,
    halted_at     timestamptz,
    disabled_by   bigint      REFERENCES users ON DELETE SET NULL,
    invite_id     bigint,
    owner_id      bigint      REFERENCES users,
    CONSTRAINT users_owner_check CHECK ((owner_id IS NOT NULL) = (kind IN ('service', 'consumer')))
);
CREATE INDEX users_by_lower_name ON users (lower(name));
CREATE INDEX users_by_owner ON users (owner_id) WHERE owner_id IS NOT NULL;
COMMENT ON TABLE users IS 'People and groups. Written by the server when it starts for the first time, and by the gateway when somebody writes or a group is met for the first time; the password by PUT /api/me/password and xbot login-link. password_hash is bcrypt, empty until a password is set.';
COMMENT ON COLUMN users.kind IS 'group: a group, channel or thread of a platform. Its conversations belong to it and not to whoever writes there, so that rights, runners and memory of a person never reach a group. service: an agent that an administrator has published. consumer: one conversation of somebody outside with a service, so that nothing of one conversation reaches another one.';
COMMENT ON COLUMN users.met IS 'Made by the gateway when somebody wrote on a channel: the name is what they call themselves there, and proves nothing.';
COMMENT ON COLUMN users.disabled_at IS 'Since when the person is shut out; null: they are not. No login, token or runner of theirs is good, and no turn of theirs begins.';
COMMENT ON COLUMN users.halted_at IS 'When the person was disabled last. What of them began until then is stopped, even if they were let in again at once.';
COMMENT ON COLUMN users.disabled_by IS 'The administrator who did that; null: an operator, with the xbot command, or nobody who is still there.';
COMMENT ON COLUMN users.invite_id IS 'The link by which the person came.';
COMMENT ON COLUMN users.owner_id IS 'Of a service the administrator, of a consumer the service. It is deleted after those that belong to it.';

CREATE TABLE invites (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token_hash bytea       NOT NULL UNIQUE,
    note       text        NOT NULL DEFAULT '',
    role       text        NOT NULL CHECK (role IN ('admin', 'member')),
    uses       int         NOT NULL CHECK (uses > 0),
    used       int         NOT NULL DEFAULT 0 CHECK (used BETWEEN 0 AND uses),
    made_by    bigint      REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
COMMENT ON TABLE invites IS 'Links by which people make accounts of their own (SHA-256 of the token). Written by administrators; a link counts until it has expired, was used up or was withdrawn, and only while whoever made it is an administrator.';
COMMENT ON COLUMN invites.made_by IS 'The administrator; null: an operator, with the xbot command.';

CREATE TABLE identities (
    channel    text        NOT NULL,
    account    text        NOT NULL,
    peer       text        NOT NULL,
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    kind       text        NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'group', 'channel', 'link')),
    union_id   text        NOT NULL DEFAULT '',
    member_id  text        NOT NULL DEFAULT '',
    appointed  text        NOT NULL DEFAULT '',
    link_ids   text[]      NOT NULL DEFAULT '{}',
    PRIMARY KEY (kind, channel, account, peer)
);
CREATE INDEX identities_by_user ON identities (user_id);
CREATE INDEX identities_by_union ON identities (channel, union_id) WHERE union_id <> '';
COMMENT ON TABLE identities IS 'Who a user is on a channel. Written by the ingress when somebody writes for the first time or links an account.';
COMMENT ON COLUMN identities.kind IS 'What the peer is: a person, a group or channel of a platform (their users are of kind group), or a name of identityLinks in the policy.';
COMMENT ON COLUMN identities.union_id IS 'Of a person: the id that the platform gives them under every bot of one owner (Feishu: union_id); empty: not known. Who writes to a second bot is by it the user that they are at the first. Written by the gateway.';
COMMENT ON COLUMN identities.member_id IS 'Of a person: their id within their organisation (Feishu: user_id); empty: not known. Written by the gateway.';
COMMENT ON COLUMN identities.appointed IS 'Of an administrator: the chat of the settings (ADMIN_CHAT_ID) by which they are one here. Such a row goes at a start at which the settings name another chat. Empty: they are who they are without it.';
COMMENT ON COLUMN identities.link_ids IS 'Of a name of identityLinks: the ids (channel:id) that have written as its user, of those that the policy lists. A policy that lists none of them is refused unless an administrator confirms the transfer. Written by the gateway and with each version of the policy.';

CREATE TABLE login_links (
    token_hash bytea       PRIMARY KEY,
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);
COMMENT ON TABLE login_links IS 'One-time sign-in links (SHA-256 of the token). Written at start of the server and by xbot login-link; used once.';

CREATE TABLE web_sessions (
    token_hash   bytea       PRIMARY KEY,
    user_id      bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL
);
COMMENT ON TABLE web_sessions IS 'Browser logins (SHA-256 of the cookie). Written by the login API; 30 days, sliding.';

CREATE TABLE api_tokens (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id      bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    name         text        NOT NULL,
    token_hash   bytea       NOT NULL UNIQUE,
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    revoked_at   timestamptz,
    scope        text        NOT NULL DEFAULT 'administration' CHECK (scope IN ('read', 'chat', 'administration')),
    expires_at   timestamptz
);
COMMENT ON TABLE api_tokens IS 'Bearer tokens of scripts and terminals (SHA-256 of 256 random bits). Written by the tokens API and xbot token.';
COMMENT ON COLUMN api_tokens.scope IS 'What the token may: read, read and write in conversations, or all that its owner may, also as an administrator.';

CREATE TABLE user_settings (
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    key        text        NOT NULL,
    value      text        NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, key)
);
COMMENT ON TABLE user_settings IS 'What a person chose for themselves: active_runner, llm_source, language, model, a model for each tier, think, context_mode, preset, memory, soul, agent_notes, titles, theme, page_language. Written by /api/preferences, /api/runners, /api/models, /api/permissions and by commands; each change is kept in changes.';

CREATE TABLE pairings (
    code       text        PRIMARY KEY CHECK (code ~ '^[A-HJ-NP-Z2-9]{8}$'),
    channel    text        NOT NULL,
    account    text        NOT NULL,
    peer       text        NOT NULL,
    name       text        NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    UNIQUE (channel, account, peer)
);
COMMENT ON TABLE pairings IS 'People who wrote for the first time and wait for an administrator to let them in. Written by the gateway; removed when it is approved, refused or expired.';

CREATE TABLE access_grants (
    channel    text        NOT NULL,
    account    text        NOT NULL,
    peer       text        NOT NULL,
    name       text        NOT NULL DEFAULT '',
    granted_by bigint      REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    told_at    timestamptz,
    PRIMARY KEY (channel, account, peer)
);
COMMENT ON TABLE access_grants IS 'Who may write to the bot in direct messages beside the allow lists of the policy. Written when a pairing is approved. It never opens a group.';
COMMENT ON COLUMN access_grants.told_at IS 'When the person was told, with the first message they wrote afterwards.';

CREATE TABLE deletions (
    user_id       bigint      PRIMARY KEY,
    name          text        NOT NULL,
    conversations int         NOT NULL,
    asked_by      bigint      REFERENCES users ON DELETE SET NULL,
    asked_at      timestamptz NOT NULL DEFAULT now(),
    checked_at    timestamptz NOT NULL DEFAULT 'epoch',
    ended_at      timestamptz
);
CREATE INDEX deletions_open ON deletions (checked_at) WHERE ended_at IS NULL;
COMMENT ON TABLE deletions IS 'People who are deleted with all that they have. The row is the promise: an administrator writes it, the DeletePerson workflow acts on it, and the transaction that deletes the user ends it. It stays, without the name.';
COMMENT ON COLUMN deletions.user_id IS 'Number of the user, which nobody gets again. No reference: the row outlives the user.';
COMMENT ON COLUMN deletions.conversations IS 'How many conversations there were, for those who look how far it is.';
COMMENT ON COLUMN deletions.asked_by IS 'The administrator; null: an operator, with the xbot command, or nobody who is still there.';
COMMENT ON COLUMN deletions.checked_at IS 'When the relay or the workflow looked at it last; 1970: nobody yet.';

-- A view in the place of a function: Postgres plans the body of an SQL function with a sub-select at every call, and a view once with the
-- statement that reads it.
CREATE VIEW user_admins AS
SELECT u.id AS user_id, coalesce(s.owner_id, u.id) AS admin_id
FROM users u
LEFT JOIN users s ON s.id = CASE u.kind WHEN 'consumer' THEN u.owner_id WHEN 'service' THEN u.id END AND s.kind = 'service';
COMMENT ON VIEW user_admins IS 'Whose models, keys and runners work for a user: for a consumer and for a service the administrator of the service, for other users themselves.';

-- The function stays for workers of an earlier version, which run beside newer ones until their turns have ended.
-- +goose StatementBegin
CREATE FUNCTION admin_of(id bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN coalesce((SELECT a.admin_id FROM user_admins a WHERE a.user_id = $1), $1);
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION admin_of IS 'Whose models, keys and runners work for a user: for a consumer and for a service the service''s administrator, for everybody else themselves.';

-- Postgres plans the body of an SQL function with a sub-select at every call, and that of a PL/pgSQL function once for a connection.
-- +goose StatementBegin
CREATE FUNCTION may_answer(owner bigint, who bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN owner = who OR EXISTS (
        SELECT 1 FROM users o, users w
        WHERE o.id = owner AND o.kind = 'group' AND w.id = who AND w.role = 'admin' AND w.kind = 'person'
    );
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION may_answer IS 'Whether a user may say that a tool call of a conversation runs: its owner; in a group, which is nobody who could be asked, an administrator.';

ALTER TABLE users ADD CONSTRAINT users_invite_id_fkey FOREIGN KEY (invite_id) REFERENCES invites ON DELETE SET NULL;

-- +goose Down
DROP FUNCTION may_answer, admin_of;
DROP VIEW user_admins;
DROP TABLE deletions, access_grants, pairings, user_settings, api_tokens, web_sessions, login_links, identities, invites, users;
