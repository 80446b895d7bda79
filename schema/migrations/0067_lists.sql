-- +goose Up
CREATE INDEX sessions_newest ON sessions (last_interaction_at DESC, key);
CREATE INDEX sessions_pinned ON sessions (user_id, last_interaction_at DESC) WHERE pinned;
CREATE INDEX user_token_usage_by_session ON user_token_usage (session_key);

-- +goose Down
DROP INDEX sessions_newest, sessions_pinned, user_token_usage_by_session;
