-- +goose Up
ALTER TABLE inbox_files ADD COLUMN transcript text NOT NULL DEFAULT '', ADD COLUMN unheard text NOT NULL DEFAULT '';
COMMENT ON COLUMN inbox_files.transcript IS 'What is said in a stored file of sound. Written with its place, once; empty: it is none, or nothing was made out.';
COMMENT ON COLUMN inbox_files.unheard IS 'Why a stored file of sound has no transcript.';

-- +goose Down
ALTER TABLE inbox_files DROP COLUMN transcript, DROP COLUMN unheard;
