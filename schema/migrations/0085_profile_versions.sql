-- +goose Up
CREATE TABLE user_profile_versions (
    user_id    bigint      NOT NULL REFERENCES user_profiles ON DELETE CASCADE,
    version    int         NOT NULL CHECK (version > 0),
    content    text        NOT NULL,
    timezone   text        NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    PRIMARY KEY (user_id, version)
);
COMMENT ON TABLE user_profile_versions IS 'What a profile was after each change, with who and when; the oldest beyond a hundred go. Written with user_profiles.';
COMMENT ON COLUMN user_profile_versions.version IS 'The revision of user_profiles that it was.';

INSERT INTO user_profile_versions (user_id, version, content, timezone, changed_at, changed_by)
SELECT user_id, revision, content, timezone, updated_at, user_id FROM user_profiles;

-- +goose Down
DROP TABLE user_profile_versions;
