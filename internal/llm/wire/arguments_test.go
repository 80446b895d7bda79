package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm/wire"
)

func TestArguments_AreTheObjectThatIsMeant(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		``:                         ``,
		`{"a":1}`:                  `{"a":1}`,
		` {"a":1} `:                ` {"a":1} `,
		`{}{"a":1}`:                `{"a":1}`,
		`null{"a":1}`:              `{"a":1}`,
		`""{"a":1}`:                `{"a":1}`,
		`{"a":1}{"a":1}`:           `{"a":1}`,
		"{\"a\":1}\n{\"a\": 1}":    `{"a":1}`,
		`{"a":1}{}`:                `{"a":1}`,
		`{"a":1}}`:                 `{"a":1}`,
		"{\"a\":1}\n```":           `{"a":1}`,
		"{\"a\":1}\n</tool_call>":  `{"a":1}`,
		`{"a":1}<|tool_call_end|>`: `{"a":1}`,
		`"{\"a\":1}"`:              `{"a":1}`,
		`"\"{\\\"a\\\":1}\""`:      `{"a":1}`,
		`{}{}`:                     `{}`,
		`null`:                     `null`,
		`{"a":1}{"a":2}`:           `{"a":1}{"a":2}`, // two calls: which one is not for us to say
		`{"a":1} and more`:         `{"a":1} and more`,
		`{"a":`:                    `{"a":`,
		`[1]`:                      `[1]`,
		`ls`:                       `ls`,
		`"ls"`:                     `"ls"`,
		`5{"a":1}`:                 `5{"a":1}`,
		`{"a":1}<b x="{">`:         `{"a":1}<b x="{">`,
	} {
		require.Equal(t, want, wire.Arguments(written), written)
	}
}

func FuzzArguments_AreOneObjectOrAsTheyWere(f *testing.F) {
	f.Add(`{}{"a":1}`)
	f.Add(`"{\"a\":1}"`)
	f.Fuzz(func(t *testing.T, written string) {
		got := wire.Arguments(written)
		if got != written {
			var object map[string]json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(got), &object))
		}
		require.Equal(t, got, wire.Arguments(got), "once is enough")
	})
}
