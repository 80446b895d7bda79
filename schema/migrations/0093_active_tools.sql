-- +goose Up
CREATE TABLE active_tools (
    session_key text   NOT NULL REFERENCES sessions ON DELETE CASCADE,
    name        text   NOT NULL,
    message_id  bigint NOT NULL,
    PRIMARY KEY (session_key, name)
);
COMMENT ON TABLE active_tools IS 'The tools of a conversation that are not always shown, which its model has found or used. Written by search_tools and before a call of such a tool; emptied when the conversation begins anew.';
COMMENT ON COLUMN active_tools.message_id IS 'The newest message when the tool was last found or used: it is shown until five messages of people have come since (spec/001 §5.3).';

-- +goose Down
DROP TABLE active_tools;
