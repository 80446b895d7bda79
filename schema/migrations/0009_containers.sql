-- +goose Up
ALTER TABLE runners DROP CONSTRAINT runners_name_check;
ALTER TABLE runners ADD CONSTRAINT runners_name_check CHECK (name ~ '^[a-z0-9][a-z0-9_.-]{0,127}$' OR name = '__docker__');
COMMENT ON TABLE runners IS 'Runners and the SHA-256 of their tokens. The one named local is written by xbot serve; those named __docker__, the containers of the server, by the ingress that starts them.';

-- +goose Down
DELETE FROM runners WHERE name = '__docker__';
ALTER TABLE runners DROP CONSTRAINT runners_name_check;
ALTER TABLE runners ADD CONSTRAINT runners_name_check CHECK (name ~ '^[a-z0-9][a-z0-9_.-]{0,127}$');
COMMENT ON TABLE runners IS 'Runners and the SHA-256 of their tokens. The one named local is written by xbot serve.';
