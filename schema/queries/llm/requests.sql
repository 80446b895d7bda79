-- name: RatioGet :one
SELECT ratio, samples FROM token_ratios WHERE model = $1;

-- name: RatioSet :exec
INSERT INTO token_ratios (model, ratio, samples) VALUES ($1, $2, $3)
ON CONFLICT (model) DO UPDATE SET ratio = EXCLUDED.ratio, samples = EXCLUDED.samples, updated_at = now();
