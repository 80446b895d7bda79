-- +goose Up
ALTER TABLE sessions ADD COLUMN title_open boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN sessions.title_open IS 'A model may still give the conversation its title: nobody has named it, it is shown in a list, and no model was asked in vain. Set when the session is made; cleared once, by a person who names it or by the title activity.';

-- +goose Down
ALTER TABLE sessions DROP COLUMN title_open;
