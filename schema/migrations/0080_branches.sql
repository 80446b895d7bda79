-- +goose Up
ALTER TABLE messages
    ADD COLUMN branch_of bigint,
    ADD COLUMN spells int8multirange NOT NULL DEFAULT '{}';
COMMENT ON COLUMN messages.branch_of IS 'The oldest of the versions of this message, which was asked again or changed; NULL: it is that one, or the only one. At most one version and what follows it is in the conversation.';
COMMENT ON COLUMN messages.spells IS 'Between which control records the message was out of the conversation before it was brought back, so that a request of then can be made again.';
CREATE INDEX messages_branch ON messages (branch_of) WHERE branch_of IS NOT NULL;

ALTER TABLE controls
    ADD COLUMN away_by bigint,
    ADD COLUMN spells int8multirange NOT NULL DEFAULT '{}';
COMMENT ON COLUMN controls.away_by IS 'Of a compaction, a reset or an undo: the rewind since which it does not hold; NULL: it holds.';
COMMENT ON COLUMN controls.spells IS 'Between which control records it did not hold before it was brought back.';
UPDATE controls c SET away_by = (
    SELECT min(r.id) FROM controls r
    WHERE r.session_key = c.session_key AND r.kind = 'rewind' AND r.id > c.id AND (r.body -> 'rewind' ->> 'from')::bigint <= c.message_id
)
WHERE c.kind IN ('compact', 'reset');

-- +goose Down
ALTER TABLE controls DROP COLUMN away_by, DROP COLUMN spells;
DROP INDEX messages_branch;
ALTER TABLE messages DROP COLUMN branch_of, DROP COLUMN spells;
