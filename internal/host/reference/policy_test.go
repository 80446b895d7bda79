package reference_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"xbot/internal/host/reference"
	"xbot/internal/turn/policy"
)

// valid asks the schema about a document.
func valid(t *testing.T) func(document string) error {
	t.Helper()
	text, err := reference.PolicySchema(root + "/internal/turn/policy")
	require.NoError(t, err)
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal(text, &schema))
	resolved, err := schema.Resolve(nil)
	require.NoError(t, err)
	return func(document string) error {
		var value any
		require.NoError(t, json.Unmarshal([]byte(document), &value))
		return resolved.Validate(value)
	}
}

func TestPolicySchema_AcceptsTheDocumentThatHasEveryMember(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(root + "/docs/operate/policy.md")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(page), "```json5\n")
	example, _, _ := strings.Cut(rest, "\n```")
	p, _, err := policy.Parse([]byte(example))
	require.NoError(t, err)
	require.NoError(t, valid(t)(string(p.JSON())))
}

func TestPolicySchema_RefusesWhatTheCheckRefuses(t *testing.T) {
	t.Parallel()
	check := valid(t)
	require.NoError(t, check(`{}`))
	for _, document := range []string{
		`{"sesion": {}}`,
		`{"session": {"dmScope": "nobody"}}`,
		`{"session": {"resetByType": {"direct": {"mode": "never"}}}}`,
		`{"session": {"reset": {"atHour": 24}}}`,
		`{"messages": {"queue": {"cap": 1001}}}`,
		`{"messages": {"queue": {"byChannel": {"qq": "later"}}}}`,
		`{"agents": {"list": [{"name": "no id"}]}}`,
		`{"agents": {"list": [{"id": "a", "think": "hard"}]}}`,
		`{"channels": {"feishu": {"accounts": {"two": {"dmPolicy": "all"}}}}}`,
		`{"limits": {"turns": "many"}}`,
	} {
		_, _, err := policy.Parse([]byte(document))
		require.Error(t, err, document)
		require.Error(t, check(document), document)
	}
}
