-- +goose Up
ALTER TABLE turns
    ADD COLUMN waits_since  timestamptz,
    ADD COLUMN waits_reason text NOT NULL DEFAULT '',
    ADD COLUMN waits_until  timestamptz,
    ADD COLUMN asks_at      timestamptz;
COMMENT ON COLUMN turns.waits_since IS 'Since when the turn waits for a model provider that cannot be reached; NULL: it does not. waits_reason says why in two words, waits_until when it is given up, asks_at when the provider is asked next. Written by the generate activity, cleared with the end of the step or the turn.';

ALTER TABLE progress_cards ADD COLUMN rests_for timestamptz;
COMMENT ON COLUMN progress_cards.rests_for IS 'The card says that its turn waits for a model provider since then (turns.waits_since): nobody follows the turn until it goes on. Written by whoever follows it.';

CREATE OR REPLACE VIEW turn_slots AS
SELECT t.session_key FROM turns t JOIN sessions s ON s.key = t.session_key WHERE t.state = 'running' AND t.waits_since IS NULL AND s.chat_type <> 'subagent'
UNION
SELECT i.session_key FROM inbox i WHERE i.outcome IS NULL AND i.throttled_at IS NOT NULL AND i.granted_until > clock_timestamp();
COMMENT ON VIEW turn_slots IS 'Conversations that have a turn, or for which a freed one is kept. Subagents need none: whoever waits for them has one, and they have limits of their own. A turn that waits for its provider has none.';

-- +goose Down
CREATE OR REPLACE VIEW turn_slots AS
SELECT t.session_key FROM turns t JOIN sessions s ON s.key = t.session_key WHERE t.state = 'running' AND s.chat_type <> 'subagent'
UNION
SELECT i.session_key FROM inbox i WHERE i.outcome IS NULL AND i.throttled_at IS NOT NULL AND i.granted_until > clock_timestamp();
ALTER TABLE progress_cards DROP COLUMN rests_for;
ALTER TABLE turns DROP COLUMN waits_since, DROP COLUMN waits_reason, DROP COLUMN waits_until, DROP COLUMN asks_at;
