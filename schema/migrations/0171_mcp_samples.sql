-- +goose Up
CREATE TABLE mcp_samples (
    call_id    text        NOT NULL REFERENCES tool_calls ON DELETE CASCADE,
    request    text        NOT NULL,
    model      text        NOT NULL,
    answer     text        NOT NULL,
    finish     text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (call_id, request)
);
COMMENT ON TABLE mcp_samples IS 'What models answered to requests of MCP servers during calls of their tools (sampling). Written by the activity of the call, in the transaction that books the usage, so that a call that is made again pays for a request once.';
COMMENT ON COLUMN mcp_samples.request IS 'SHA-256 of the request, and how often the same request came before in the call.';

-- +goose Down
DROP TABLE mcp_samples;
