-- +goose Up
-- Pruning a prompt looks for who refers to it, and so does the foreign key.
CREATE INDEX steps_prompt ON steps (prompt_hash) WHERE prompt_hash IS NOT NULL;
CREATE INDEX turns_system ON turns (system_hash) WHERE system_hash IS NOT NULL;

-- +goose Down
DROP INDEX turns_system, steps_prompt;
