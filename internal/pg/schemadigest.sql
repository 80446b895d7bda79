-- The structure of the current schema, one line for each column, constraint, index, function, trigger, view and sequence.
-- It leaves out what two databases of one version may differ in: the version of Postgres, the name of the schema, owners, comments and rows,
-- whether a constraint was checked for the rows that were there before it, goose's table and what extensions bring.
WITH relations AS (
    SELECT c.oid, c.relname AS name, c.relkind AS kind FROM pg_class c
    WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relname <> 'goose_db_version'
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('e', 'i'))
), tables AS (
    SELECT * FROM relations WHERE kind NOT IN ('i', 'I', 'S')
)
SELECT concat_ws(' ', 'column', r.name, row_number() OVER (PARTITION BY r.oid ORDER BY a.attnum), a.attname, format_type(a.atttypid, a.atttypmod),
                 CASE WHEN a.attnotnull THEN 'not null' END, 'default ' || pg_get_expr(d.adbin, d.adrelid), 'identity ' || nullif(a.attidentity::text, ''),
                 'generated ' || nullif(a.attgenerated::text, ''), 'storage ' || a.attstorage::text)
FROM tables r
JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
UNION ALL
SELECT concat_ws(' ', 'constraint', r.name, c.conname, replace(pg_get_constraintdef(c.oid), ' NOT VALID', ''))
FROM tables r JOIN pg_constraint c ON c.conrelid = r.oid AND c.contype IN ('c', 'f', 'p', 'u', 'x')
UNION ALL
SELECT concat_ws(' ', 'index', replace(pg_get_indexdef(i.indexrelid), quote_ident(current_schema()) || '.', ''))
FROM tables r JOIN pg_index i ON i.indrelid = r.oid
UNION ALL
SELECT concat_ws(' ', 'trigger', t.tgenabled, replace(pg_get_triggerdef(t.oid), quote_ident(current_schema()) || '.', ''))
FROM tables r JOIN pg_trigger t ON t.tgrelid = r.oid AND NOT t.tgisinternal
UNION ALL
-- Versions of Postgres differ in where they name the relation of a column.
SELECT concat_ws(' ', 'view', r.name, regexp_replace(regexp_replace(pg_get_viewdef(r.oid), '\m\w+\.', '', 'g'), '\s+', ' ', 'g'))
FROM tables r WHERE r.kind IN ('v', 'm')
UNION ALL
SELECT concat_ws(' ', 'sequence', r.name, format_type(s.seqtypid, NULL), s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcycle)
FROM relations r JOIN pg_sequence s ON s.seqrelid = r.oid
UNION ALL
SELECT concat_ws(' ', 'function', p.proname, pg_get_function_arguments(p.oid), 'returns', pg_get_function_result(p.oid), l.lanname, p.provolatile, p.prosecdef, p.proisstrict, p.prosrc)
FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
WHERE p.pronamespace = quote_ident(current_schema())::regnamespace
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
