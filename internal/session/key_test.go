package session_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/session"
)

func TestParse_ReadsWhatStringBuilds(t *testing.T) {
	for _, k := range []session.Key{
		{Agent: "main", Kind: session.KindMain},
		{Agent: "main", Channel: "web", Kind: session.KindThread, ID: "8f2c"},
		{Agent: "ops", Channel: "feishu", Kind: session.KindDM, ID: "ou_1:2"},
		{Agent: "ops", Channel: "qq", Kind: session.KindGroup, ID: "组"},
	} {
		got, err := session.Parse(k.String())
		require.NoError(t, err)
		require.Equal(t, k, got)
	}
}

func TestParse_RefusesWhatIsNoKey(t *testing.T) {
	for _, text := range []string{
		"", "agent", "agent::main", "agent:a:b", "agent:a:web:thread:", "agent:a:web:what:1", "x:a:web:dm:1",
		"agent:a:web:dm:a b", "agent:a:web:dm:\x00", "agent:a:web:dm:\xff", "agent:a:web:dm:" + strings.Repeat("x", 200),
	} {
		_, err := session.Parse(chat.SessionKey(text))
		require.True(t, fault.Is(err, fault.Invalid), "%q: %v", text, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("agent:main:web:thread:1")
	f.Add("agent:main:main")
	f.Fuzz(func(t *testing.T, text string) {
		k, err := session.Parse(chat.SessionKey(text))
		if err == nil && string(k.String()) != text {
			t.Fatalf("Parse(%q).String() = %q", text, k.String())
		}
	})
}
