package consumer_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxRefusal bounds the answer to a hostile request, in bytes.
const maxRefusal = 12 << 10

func TestAttack_BodiesOfConsumersAreRefusedInFewBytes(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	members := func(n int) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, `,"k%d":"v"`, i)
		}
		return `{"message":"x"` + s.String() + "}"
	}
	bodies := map[string]string{
		"100 members":        members(100),
		"8,000 members":      members(8000),
		"60,000 members":     members(60_000),
		"200,000 elements":   `{"message":[` + strings.Repeat("0,", 200_000) + "0]}",
		"a long name":        `{"` + strings.Repeat("n", 900_000) + `":1}`,
		"a wrong long value": `{"title":7,"message":7,"messages":"` + strings.Repeat("v", 500_000) + `"}`,
		"deep lists":         strings.Repeat("[", 500_000),
		"deep objects":       strings.Repeat(`{"a":`, 100_000),
		"deep below":         `{"message":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}",
		"a text":             `"` + strings.Repeat("x", 500_000) + `"`,
		"quotes":             strings.Repeat(`"`, 500_000),
		"no UTF-8":           "{\"" + strings.Repeat("\xff", 100_000) + "\":1",
		"zeros":              strings.Repeat("\x00", 100_000),
	}
	for name, to := range map[string]struct{ key, method, path string }{
		"without a key": {"", http.MethodPost, "/api/v1/chat"},
		"a wrong key":   {"sk-svc-" + strings.Repeat("x", 5000), http.MethodPost, "/api/v1/chat"},
		"chat":          {b.key, http.MethodPost, "/api/v1/chat"},
		"completions":   {b.key, http.MethodPost, completionsPath},
		"conversations": {b.key, http.MethodPost, "/api/v1/conversations"},
		"title":         {b.key, http.MethodPatch, at(c, "")},
	} {
		for kind, body := range bodies {
			t.Run(name+"/"+kind, func(t *testing.T) {
				got := b.do(to.key, to.method, to.path, []byte(body))
				require.GreaterOrEqual(t, got.status, 400, "%s", got.body)
				require.Less(t, got.status, 500, "%s", got.body)
				require.LessOrEqual(t, len(got.body), maxRefusal)
				b.do(b.key, http.MethodGet, "/api/v1/service", nil).is(http.StatusOK, nil)
			})
		}
	}
}
