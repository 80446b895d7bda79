-- +goose Up
CREATE TABLE deletions (
    user_id       bigint      PRIMARY KEY,
    name          text        NOT NULL,
    conversations int         NOT NULL,
    asked_by      bigint      REFERENCES users ON DELETE SET NULL,
    asked_at      timestamptz NOT NULL DEFAULT now(),
    checked_at    timestamptz NOT NULL DEFAULT 'epoch',
    ended_at      timestamptz
);
CREATE INDEX deletions_open ON deletions (checked_at) WHERE ended_at IS NULL;
COMMENT ON TABLE deletions IS 'People who are deleted with all that they have. The row is the promise: an administrator writes it, the DeletePerson workflow acts on it, and the transaction that deletes the user ends it. It stays, without the name.';
COMMENT ON COLUMN deletions.user_id IS 'Number of the user, which nobody gets again. No reference: the row outlives the user.';
COMMENT ON COLUMN deletions.conversations IS 'How many conversations there were, for those who look how far it is.';
COMMENT ON COLUMN deletions.asked_by IS 'The administrator; null: an operator, with the xbot command, or nobody who is still there.';
COMMENT ON COLUMN deletions.checked_at IS 'When the relay or the workflow looked at it last; 1970: nobody yet.';

-- +goose Down
DROP TABLE deletions;
