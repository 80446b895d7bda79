-- +goose Up
ALTER TABLE identities ADD COLUMN link_ids text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN identities.link_ids IS 'Of a name of identityLinks: the ids (channel:id) that have written as its user, of those that the policy lists. A policy that lists none of them is refused unless an administrator confirms the transfer. Written by the gateway and with each version of the policy.';

UPDATE identities i SET link_ids = coalesce((
    SELECT ARRAY(SELECT jsonb_array_elements_text(p.body #> ARRAY['session', 'identityLinks', i.peer]))
    FROM policies p
    WHERE jsonb_typeof(p.body #> ARRAY['session', 'identityLinks', i.peer]) = 'array'
    ORDER BY p.id DESC LIMIT 1), '{}')
WHERE i.kind = 'link';

ALTER TABLE policies ADD COLUMN transfers text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN policies.transfers IS 'Names of identityLinks whose account this version gave to other ids, as the administrator who changed it confirmed.';

-- +goose Down
ALTER TABLE policies DROP COLUMN transfers;
ALTER TABLE identities DROP COLUMN link_ids;
