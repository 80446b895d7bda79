package prompt_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/prompt"
	"xbot/internal/user/persona"
)

// place is where a conversation takes place.
type place chat.ModelCriteria

func (p place) ModelWanted(context.Context, chat.SessionKey) (chat.ModelCriteria, error) {
	return chat.ModelCriteria(p), nil
}

func (p place) SubagentProfile(context.Context, chat.SessionKey) (*chat.Profile, error) {
	return &chat.Profile{}, nil
}

type rules struct{ *policy.Policy }

func (r rules) Get(context.Context) (*policy.Policy, error)         { return r.Policy, nil }
func (r rules) With(context.Context, int64) (*policy.Policy, error) { return r.Policy, nil }

func TestSilence_IsToldWhereverItIsHonoured(t *testing.T) {
	t.Parallel()
	const choose, asked, listens = "Choose it where a message needs no answer", "If you are asked not to answer", "most of it is not for you"
	house := rules{&policy.Policy{}}
	for name, c := range map[string]struct {
		place
		want string // of what the prompt says; empty: nothing, and every answer is shown
	}{
		"page":                    {place{Channel: "web", ChatType: chat.ChatDirect}, asked},
		"terminal":                {place{Channel: "cli", ChatType: chat.ChatDirect}, asked},
		"program":                 {place{Channel: "openai", ChatType: chat.ChatDirect}, asked},
		"direct chat":             {place{Channel: "feishu", ChatType: chat.ChatDirect}, choose},
		"direct chat of QQ":       {place{Channel: "qq", ChatType: chat.ChatDirect}, choose},
		"plugin's platform":       {place{Channel: "matrix", ChatType: chat.ChatDirect}, choose},
		"work session":            {place{Channel: "feishu", ChatType: chat.ChatGroup, Scene: chat.SceneWork}, choose},
		"group":                   {place{Channel: "feishu", ChatType: chat.ChatGroup}, choose},
		"group that it hears all": {place{Channel: "feishu", ChatType: chat.ChatGroup, Activation: "always"}, listens},
		"job":                     {place{Channel: "feishu", ChatType: chat.ChatCron}, choose},
		"trigger":                 {place{Channel: "feishu", ChatType: chat.ChatHook}, choose},
		"subagent":                {place{Channel: "feishu", ChatType: chat.ChatSubagent}, asked},
		"service":                 {place{Channel: "service", ChatType: chat.ChatDirect, Agent: policy.ServicePrefix + "0a1b2c3d"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &agentprofile.Resolver{Subagents: c.place, Settings: c.place, Policies: house, Home: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
			key := chat.SessionKey("agent:main:main")
			if strings.HasPrefix(c.Agent, policy.ServicePrefix) {
				key = chat.SessionKey("agent:" + c.Agent + ":service:thread:0123456789")
			}
			who, err := b.Of(t.Context(), key)
			require.NoError(t, err)
			a := &prompt.Assembly{Scene: chat.Scene{Channel: c.Channel, Group: c.ChatType == chat.ChatGroup}}
			require.NoError(t, prompt.NewPipeline(prompt.Persona{Profiles: always(who)}).Assemble(t.Context(), a))
			_, silent := who.Contract.Show(persona.NoReply)
			if c.want == "" {
				require.Empty(t, a.Parts["06_silence"])
				require.True(t, who.Sealed || !silent, "an answer that is the token is shown")
				return
			}
			require.Contains(t, a.Parts["06_silence"], c.want)
			require.Contains(t, a.Parts["06_silence"], "`"+who.Silence.Token+"`")
			_, silent = who.Contract.Show(who.Silence.Token)
			require.True(t, silent)
		})
	}
}
