-- +goose Up
COMMENT ON TABLE user_settings IS 'What a person chose for themselves: active_runner, llm_source, language, model, a model for each tier, think, context_mode, preset, memory, soul, agent_notes, titles, theme, page_language. Written by /api/preferences, /api/runners, /api/models, /api/permissions and by commands; each change is kept in changes.';

-- +goose Down
COMMENT ON TABLE user_settings IS 'What a person chose for themselves: active_runner, llm_source, language, model, a model for each tier, preset, memory, soul, titles, theme, page_language. Written by /api/preferences, /api/runners, /api/models, /api/permissions and by commands; each change is kept in changes.';
