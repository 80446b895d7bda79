-- +goose Up
CREATE TABLE users (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name          text        NOT NULL UNIQUE CHECK (name <> ''),
    role          text        NOT NULL CHECK (role IN ('admin', 'member')),
    password_hash text        NOT NULL DEFAULT '',
    created_at    timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE users IS 'Canonical users. Written by the ingress at first start and by the accounts API. password_hash is bcrypt, empty until a password is set.';

CREATE TABLE identities (
    channel    text        NOT NULL,
    account    text        NOT NULL,
    peer       text        NOT NULL,
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (channel, account, peer)
);
COMMENT ON TABLE identities IS 'Who a user is on a channel. Written by the ingress when somebody writes for the first time or links an account.';

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
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id      bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    name         text        NOT NULL,
    token_hash   bytea       NOT NULL UNIQUE,
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    revoked_at   timestamptz
);
COMMENT ON TABLE api_tokens IS 'Bearer tokens of scripts and terminals (SHA-256 of 256 random bits). Written by the tokens API and xbot token.';

-- +goose Down
DROP TABLE api_tokens, web_sessions, login_links, identities, users;
