-- +goose Up
ALTER TABLE identities ADD COLUMN union_id text NOT NULL DEFAULT '', ADD COLUMN member_id text NOT NULL DEFAULT '';
CREATE INDEX identities_by_union ON identities (channel, union_id) WHERE union_id <> '';
COMMENT ON COLUMN identities.union_id IS 'Of a person: the id that the platform gives them under every bot of one owner (Feishu: union_id); empty: not known. Who writes to a second bot is by it the user that they are at the first. Written by the gateway.';
COMMENT ON COLUMN identities.member_id IS 'Of a person: their id within their organisation (Feishu: user_id); empty: not known. Written by the gateway.';

-- +goose Down
DROP INDEX identities_by_union;
ALTER TABLE identities DROP COLUMN member_id, DROP COLUMN union_id;
