-- +goose Up
CREATE TABLE runners (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    name       text        NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9_.-]{0,127}$'),
    token_hash bytea       NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    UNIQUE (user_id, name)
);
COMMENT ON TABLE runners IS 'Runners and the SHA-256 of their tokens. The one named local is written by xbot serve.';

CREATE TABLE connections (
    name         text        PRIMARY KEY,
    holder       text        NOT NULL,
    epoch        bigint      NOT NULL DEFAULT 1,
    connected    boolean     NOT NULL DEFAULT true,
    connected_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE connections IS 'Which ingress holds the socket of a runner: its internal address, and an epoch that grows with each connection. The newest wins. Written by the ingress that holds it.';

CREATE TABLE settings (
    key        text        PRIMARY KEY,
    value      text        NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE settings IS 'Facts of the installation that every process must agree on. Written at first start.';

-- +goose Down
DROP TABLE settings, connections, runners;
