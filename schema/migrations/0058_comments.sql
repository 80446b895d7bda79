-- +goose Up
COMMENT ON TABLE users IS 'People and groups. Written by the server when it starts for the first time, and by the gateway when somebody writes or a group is met for the first time; the password by PUT /api/me/password and xbot login-link. password_hash is bcrypt, empty until a password is set.';
COMMENT ON TABLE user_settings IS 'What a person chose for themselves: active_runner, llm_source, language. Written by /api/runners and by commands.';

-- +goose Down
COMMENT ON TABLE users IS 'Canonical users. Written by the ingress at first start and by the accounts API. password_hash is bcrypt, empty until a password is set.';
COMMENT ON TABLE user_settings IS 'What a person chose for themselves: active_runner, llm_source. Written by the settings API and by commands.';
