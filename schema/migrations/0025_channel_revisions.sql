-- +goose Up
CREATE SEQUENCE channel_revisions;
SELECT setval('channel_revisions', (SELECT coalesce(max(revision), 0) + 1 FROM channel_accounts));
ALTER TABLE channel_accounts ALTER COLUMN revision SET DEFAULT nextval('channel_revisions');
COMMENT ON COLUMN channel_accounts.revision IS 'From channel_revisions, anew with every change: whoever has opened the account opens it anew, also after one that was removed and made again.';

-- +goose Down
ALTER TABLE channel_accounts ALTER COLUMN revision SET DEFAULT 1;
DROP SEQUENCE channel_revisions;
COMMENT ON COLUMN channel_accounts.revision IS 'Raised by every change: whoever has opened the account opens it anew.';
