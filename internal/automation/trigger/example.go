package trigger

import (
	"xbot/internal/chat"
)

// Example returns shell commands that call a trigger, for a user to try. The secret is in a variable, so that of all processes only
// openssl shows it in its arguments.
func Example(t chat.Trigger, secret string) string {
	const body = `body='{"hello":"world"}'` + "\n"
	begin := "secret='" + secret + "'\n" + body
	end := "  -H 'Content-Type: application/json' --data \"$body\" '" + t.URL + "'\n"
	switch t.Source {
	case chat.TriggerGitHub:
		return begin + `sig=$(printf %s "$body" | openssl dgst -sha256 -hmac "$secret" | sed 's/^.*= //')
curl -sS -H "X-Hub-Signature-256: sha256=$sig" -H "X-GitHub-Delivery: try-$(date +%s)" -H 'X-GitHub-Event: ping' \
` + end
	case chat.TriggerGitLab:
		return begin + `curl -sS -H "X-Gitlab-Token: $secret" -H "Idempotency-Key: try-$(date +%s)" -H 'X-Gitlab-Event: Push Hook' \
` + end
	default:
		return begin + `ts=$(date +%s); id="try-$ts"
sig=$(printf '%s.%s.%s' "$ts" "$id" "$body" | openssl dgst -sha256 -hmac "$secret" | sed 's/^.*= //')
curl -sS -H "X-Webhook-Signature: sha256=$sig" -H "X-Webhook-Timestamp: $ts" -H "X-Webhook-Id: $id" \
` + end
	}
}
