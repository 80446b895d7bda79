-- +goose Up
CREATE TABLE invites (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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

ALTER TABLE users
    ADD COLUMN disabled_at timestamptz,
    ADD COLUMN halted_at   timestamptz,
    ADD COLUMN disabled_by bigint REFERENCES users ON DELETE SET NULL,
    ADD COLUMN invite_id   bigint REFERENCES invites ON DELETE SET NULL;
COMMENT ON COLUMN users.disabled_at IS 'Since when the person is shut out; null: they are not. No login, token or runner of theirs is good, and no turn of theirs begins.';
COMMENT ON COLUMN users.halted_at IS 'When the person was disabled last. What of them began until then is stopped, even if they were let in again at once.';
COMMENT ON COLUMN users.disabled_by IS 'The administrator who did that; null: an operator, with the xbot command, or nobody who is still there.';
COMMENT ON COLUMN users.invite_id IS 'The link by which the person came.';

ALTER TABLE api_tokens
    ADD COLUMN scope      text NOT NULL DEFAULT 'administration' CHECK (scope IN ('read', 'chat', 'administration')),
    ADD COLUMN expires_at timestamptz;
COMMENT ON COLUMN api_tokens.scope IS 'What the token may: read, read and write in conversations, or all that its owner may, also as an administrator.';

-- +goose Down
ALTER TABLE api_tokens DROP COLUMN expires_at, DROP COLUMN scope;
ALTER TABLE users DROP COLUMN invite_id, DROP COLUMN disabled_by, DROP COLUMN halted_at, DROP COLUMN disabled_at;
DROP TABLE invites;
