package session_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/session"
)

func TestString_WritesTheFormsOfTheGrammar(t *testing.T) {
	for text, k := range map[chat.SessionKey]session.Key{
		"agent:main:main":                                {Agent: "main", Kind: session.KindMain},
		"agent:main:home":                                {Agent: "main", Kind: session.KindMain, ID: "home"},
		"agent:main:web:thread:8f2c":                     {Agent: "main", Channel: "web", Kind: session.KindThread, ID: "8f2c"},
		"agent:main:web:thread:a:b":                      {Agent: "main", Channel: "web", Kind: session.KindThread, ID: "a:b"},
		"agent:main:dm:alice":                            {Agent: "main", Kind: session.KindDM, ID: "alice"},
		"agent:ops:feishu:dm:ou_1%3A2":                   {Agent: "ops", Channel: "feishu", Kind: session.KindDM, ID: "ou_1:2"},
		"agent:ops:feishu:default:dm:ou_1":               {Agent: "ops", Channel: "feishu", Account: "default", Kind: session.KindDM, ID: "ou_1"},
		"agent:ops:feishu:dm:ou_1:thread:om_7":           {Agent: "ops", Channel: "feishu", Kind: session.KindDM, ID: "ou_1", Thread: "om_7"},
		"agent:ops:qq:group:组":                           {Agent: "ops", Channel: "qq", Kind: session.KindGroup, ID: "组"},
		"agent:ops:telegram:group:-100:topic:5":          {Agent: "ops", Channel: "telegram", Kind: session.KindGroup, ID: "-100", Thread: "5", Topic: true},
		"agent:ops:slack:channel:C1:thread:1700.5":       {Agent: "ops", Channel: "slack", Kind: session.KindChannel, ID: "C1", Thread: "1700.5"},
		"agent:ops:slack:%64m:dm:thread":                 {Agent: "ops", Channel: "slack", Account: "dm", Kind: session.KindDM, ID: "thread"},
		"agent:ops:%67roup:group:g":                      {Agent: "ops", Channel: "group", Kind: session.KindGroup, ID: "g"},
		"agent:ops:feishu:dm:a%20b%0A%25%FF":             {Agent: "ops", Channel: "feishu", Kind: session.KindDM, ID: "a b\n%\xff"},
		"agent:ops:feishu:dm:~":                          {Agent: "ops", Channel: "feishu", Kind: session.KindDM},
		"agent:ops:feishu:dm:%7E":                        {Agent: "ops", Channel: "feishu", Kind: session.KindDM, ID: "~"},
		"agent:main:subagent:explore%3A2":                {Agent: "main", Kind: session.KindSubagent, ID: "explore:2"},
		"cron:daily%20report":                            {Kind: session.KindCron, ID: "daily report"},
		"hook:0d5e":                                      {Kind: session.KindHook, ID: "0d5e"},
		"node-macbook":                                   {Kind: session.KindNode, ID: "macbook"},
		"agent:main:feishu:app2:group:oc_1:thread:om_12": {Agent: "main", Channel: "feishu", Account: "app2", Kind: session.KindGroup, ID: "oc_1", Thread: "om_12"},
	} {
		require.Equal(t, text, k.String())
		got, err := session.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, k, got)
	}
	require.Equal(t, chat.SessionKey("agent:main:web:thread:8f2c"), session.Thread("main", "web", "8f2c"))
}

func TestParse_RefusesWhatIsNoKey(t *testing.T) {
	for _, text := range []string{
		"", "agent", "agent::main", "agent:a:", "agent:a:web:thread:", "agent:a:web:what:1", "x:a:web:dm:1", "group:1", "cron", "cron:", "hook:a:b", "node-",
		"agent:a:web:dm:a b", "agent:a:web:dm:\x00", "agent:a:web:dm:\xff", "agent:a:web:dm:" + strings.Repeat("x", 200),
		"agent:a:web:dm:1:2", "agent:a:web:dm:%41", "agent:a:web:dm:%3a", "agent:a:web:dm:%", "agent:a:web:dm:~x", "agent:a:~:dm:x", "agent:a:web:~:dm:x",
		"agent:a:web:group:1:topic:", "agent:a:web:group:1:topic:~", "agent:a:web:group:1:other:2", "agent:a:web:b:c:group:1",
	} {
		_, err := session.Parse(chat.SessionKey(text))
		require.True(t, fault.Is(err, fault.Invalid), "%q: %v", text, err)
	}
}

func TestString_HashesWhatIsTooLong(t *testing.T) {
	long := session.Key{Agent: "main", Channel: "hook", Kind: session.KindDM, ID: strings.Repeat("ü", 300)}
	text := long.String()
	require.Equal(t, chat.SessionKey("agent:main:hook:dm:~"), text[:20])
	require.Len(t, text, 52)
	require.Equal(t, text, long.String(), "stable")

	got, err := session.Parse(text)
	require.NoError(t, err)
	require.Equal(t, text, got.String())

	forged := session.Key{Agent: "main", Channel: "hook", Kind: session.KindDM, ID: string(text[19:])}
	require.NotEqual(t, text, forged.String(), "an id that looks like a hash is not one")
	require.NotEqual(t, text, session.Key{Agent: "main", Channel: "hook", Kind: session.KindDM, ID: strings.Repeat("ü", 301)}.String())
}

func TestLegacy_GroupGetsTheChannelThatItCameFrom(t *testing.T) {
	k, err := session.Legacy("group:120363@g.us", "", "whatsapp")
	require.NoError(t, err)
	require.Equal(t, chat.SessionKey("agent:main:whatsapp:group:120363@g.us"), k.String())

	k, err = session.Legacy("agent:ops:qq:group:1", "", "whatsapp")
	require.NoError(t, err)
	require.Equal(t, "ops", k.Agent)

	_, err = session.Legacy("group:", "", "whatsapp")
	require.True(t, fault.Is(err, fault.Invalid))
}

func TestParse_ReadsWhatStringBuiltOfAnyIds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := anyKey().Draw(t, "key")
		text := k.String()
		require.LessOrEqual(t, len(text), session.MaxKeyBytes)
		got, err := session.Parse(text)
		require.NoError(t, err, "%q", text)
		require.Equal(t, text, got.String())
		if !strings.Contains(string(text), "~") {
			require.Equal(t, k, got)
		}
	})
}

func TestString_DifferentKeysNeverLookAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyKey().Draw(t, "a"), anyKey().Draw(t, "b")
		require.Equal(t, a == b, a.String() == b.String(), "%q", a.String())
	})
}

// anyKey draws keys whose parts are made of what the grammar itself is made of, so that parts often look like others.
func anyKey() *rapid.Generator[session.Key] {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{"dm", "group", "channel", "thread", "topic", "subagent", "main", "cron", "~", "%", ":", "%3A", "a", "web"}),
		rapid.String(),
		rapid.StringMatching(`[:%~a-c]{0,4}`),
		rapid.StringMatching(`~[a-z2-7]{32}`),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 300), func(b []byte) string { return string(b) }),
	)
	return rapid.Custom(func(t *rapid.T) session.Key {
		k := session.Key{Kind: rapid.SampledFrom([]session.Kind{
			session.KindMain, session.KindDM, session.KindGroup, session.KindChannel, session.KindThread, session.KindSubagent,
			session.KindCron, session.KindHook, session.KindNode,
		}).Draw(t, "kind"), ID: word.Draw(t, "id")}
		if k.Kind == session.KindCron || k.Kind == session.KindHook || k.Kind == session.KindNode {
			return k
		}
		k.Agent = word.Draw(t, "agent")
		if k.Kind == session.KindMain && k.ID == "main" {
			k.ID = ""
		}
		if k.Kind == session.KindMain || k.Kind == session.KindSubagent {
			return k
		}
		k.Channel = word.Draw(t, "channel")
		if rapid.Bool().Draw(t, "has account") {
			k.Account = word.Draw(t, "account")
		}
		if k.Kind != session.KindThread && rapid.Bool().Draw(t, "has thread") {
			k.Thread = word.Draw(t, "thread")
			k.Topic = k.Thread != "" && rapid.Bool().Draw(t, "topic")
		}
		return k
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"agent:main:web:thread:1", "agent:main:main", "agent:a:feishu:x:group:g:topic:5", "cron:x", "agent:a:dm:%7E", "node-1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := session.Parse(chat.SessionKey(text))
		if err == nil && string(k.String()) != text {
			t.Fatalf("Parse(%q).String() = %q", text, k.String())
		}
	})
}
