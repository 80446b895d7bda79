-- +goose Up
CREATE TABLE plugin_values (
    plugin_id  text        NOT NULL REFERENCES plugins ON DELETE CASCADE,
    user_id    bigint      REFERENCES users ON DELETE CASCADE,
    key        text        NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 256),
    value      text        NOT NULL CHECK (octet_length(value) <= 65536),
    changed_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (plugin_id, user_id, key)
);
CREATE INDEX plugin_values_by_user ON plugin_values (user_id) WHERE user_id IS NOT NULL;
COMMENT ON TABLE plugin_values IS 'What plugins keep. Written by plugins, with storage/set. It goes with the plugin, and what is a person''s with the person.';
COMMENT ON COLUMN plugin_values.user_id IS 'Whose it is; null: the plugin''s own.';

-- +goose StatementBegin
CREATE FUNCTION count_plugin_value() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE plugins SET kept_keys = kept_keys - 1, kept_bytes = kept_bytes - octet_length(OLD.key) - octet_length(OLD.value) WHERE id = OLD.plugin_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        UPDATE plugins SET kept_keys = kept_keys + 1, kept_bytes = kept_bytes + octet_length(NEW.key) + octet_length(NEW.value) WHERE id = NEW.plugin_id;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER count_value AFTER INSERT OR UPDATE OR DELETE ON plugin_values FOR EACH ROW EXECUTE FUNCTION count_plugin_value();

-- +goose Down
DROP TABLE plugin_values;
DROP FUNCTION count_plugin_value;
