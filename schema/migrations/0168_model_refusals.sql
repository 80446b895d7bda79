-- +goose Up
CREATE TABLE refused_tools (
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    model       text        NOT NULL,
    tool        text        NOT NULL,
    digest      text        NOT NULL,
    reason      text        NOT NULL,
    refused_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (session_key, model, tool)
);
COMMENT ON TABLE refused_tools IS 'Tools whose definition the provider of a model has refused in a conversation, which requests to that model leave out. Written by the step whose request was refused, with the notice to the person in the same transaction.';
COMMENT ON COLUMN refused_tools.digest IS 'SHA-256 of name, description and parameters as they were refused, hexadecimal. A tool with another one is offered again.';
COMMENT ON COLUMN refused_tools.reason IS 'The words of the provider, without keys.';

CREATE TABLE refused_requests (
    session_key  text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    model        text        NOT NULL,
    window_size  integer     NOT NULL,
    request_hash text        NOT NULL,
    refused_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (session_key, model)
);
COMMENT ON TABLE refused_requests IS 'The last request of a conversation that the provider of a model refused as too long, and what that says of the model''s context window. Written by the step whose request was refused.';
COMMENT ON COLUMN refused_requests.window_size IS 'Tokens that the model takes, as xbot estimates them; 0: only refusals of single requests are known, such as a body that is too large or a limit by the minute.';
COMMENT ON COLUMN refused_requests.request_hash IS 'SHA-256 of the request, hexadecimal: it is not sent again.';

-- +goose Down
DROP TABLE refused_requests;
DROP TABLE refused_tools;
