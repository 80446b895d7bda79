package chat_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func askOf(names ...string) (ask chat.ClientAsk) {
	for _, name := range names {
		ask.Tools = append(ask.Tools, chat.ClientTool{Name: name})
	}
	return ask
}

func TestClientAsk_AnAliasNamesOneToolAlone(t *testing.T) {
	long := strings.Repeat("n", chat.MaxToolName-1)
	parts := []string{"Read", "client_Read", "client2_Read", "client_client_Read", "client", "client_", "client02_Read", "client1_Read", long + "a", long + "b"}
	for seed := range uint64(300) {
		dice := rand.New(rand.NewPCG(seed, 1))
		pick := func() (out []string) {
			for _, i := range dice.Perm(len(parts))[:1+dice.IntN(len(parts)-1)] {
				out = append(out, parts[i])
			}
			return out
		}
		ask, own := askOf(pick()...), map[string]bool{}
		for _, name := range pick() {
			own[name] = true
		}
		what := fmt.Sprint(ask.Tools, own)
		seen := map[string]bool{}
		for i, name := range ask.ModelNames(func(name string) bool { return own[name] }) {
			require.False(t, own[name] || seen[name], what)
			require.LessOrEqual(t, len(name), chat.MaxToolName, what)
			seen[name] = true
			back, ok := ask.ToolOf(name)
			require.True(t, ok, "%s of %s", name, what)
			require.Equal(t, ask.Tools[i].Name, back, what)
			if !own[ask.Tools[i].Name] {
				require.Equal(t, ask.Tools[i].Name, name, "an own name that is free stays: %s", what)
			}
		}
	}
}

func TestClientAsk_ANameOfNoToolIsNone(t *testing.T) {
	ask := askOf("get_weather", "client_x")
	for _, name := range []string{"", "client", "client_", "client_y", "Read", "client1_get_weather", "client0_get_weather", "client-1_get_weather", "client02_get_weather", "clientx_get_weather"} {
		_, ok := ask.ToolOf(name)
		require.False(t, ok, name)
	}
}
