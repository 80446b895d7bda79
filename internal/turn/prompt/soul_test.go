package prompt_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/prompt"
	"xbot/internal/user/persona"
)

// lore is what is known of user 1.
type lore struct{}

func (lore) SoulFiles(_ context.Context, w chat.MemoryOwner) ([]chat.SoulFile, error) {
	if w != (chat.MemoryOwner{User: 1, Agent: "main"}) {
		return nil, nil
	}
	return []chat.SoulFile{{Name: "tone.md", Content: "dry humour"}}, nil
}

func (lore) RecentMessages(_ context.Context, _ chat.SessionKey, n int) ([]chat.PastEntry, error) {
	return []chat.PastEntry{{Who: "user", Text: "the boiler\nis loud", At: time.Date(2026, 3, 1, 18, 30, 0, 0, time.UTC)}, {Who: "assistant", Text: strings.Repeat("x", 900)}}[:min(n, 2)], nil
}

// told is what middlewares add of the person for who answers.
func told(t *testing.T, who agentprofile.Profile, scene chat.Scene) map[string]string {
	t.Helper()
	a := &prompt.Assembly{Scene: scene}
	require.NoError(t, prompt.NewPipeline(
		prompt.Soul{Store: lore{}, Profiles: always(who)}, prompt.Profile{Profiles: always(who)}, prompt.Recent{Past: lore{}, Profiles: always(who)},
	).Assemble(t.Context(), a))
	return a.Parts
}

func TestSoul_IsInPromptsOfItsPersonWhereThePolicySaysSo(t *testing.T) {
	t.Parallel()
	on := policy.Remembers{SoulRead: true}
	require.Contains(t, told(t, agentprofile.Profile{Remember: on}, chat.Scene{User: 1})["21_soul"], "dry humour")
	require.Empty(t, told(t, agentprofile.Profile{}, chat.Scene{User: 1}), "off: nothing is added")
	require.Empty(t, told(t, agentprofile.Profile{Remember: on}, chat.Scene{User: 2})["21_soul"])
	require.Empty(t, told(t, agentprofile.Profile{Remember: on, Agent: policy.Agent{ID: "ops"}}, chat.Scene{User: 1})["21_soul"], "an agent with a memory of its own has files of its own")
	require.Empty(t, told(t, agentprofile.Profile{Remember: on, Role: &chat.Profile{}}, chat.Scene{User: 1}), "subagents have none")
}

func TestProfile_IsToldAsItIsNow(t *testing.T) {
	t.Parallel()
	scene := chat.Scene{User: 1, UserPrompt: chat.UserPrompt{Profile: "Ann, call me captain", Timezone: "Asia/Shanghai"}}
	text := told(t, agentprofile.Profile{}, scene)["31_profile"]
	require.Contains(t, text, "call me captain")
	require.Contains(t, text, "Asia/Shanghai")
	require.Empty(t, told(t, agentprofile.Profile{Role: &chat.Profile{}}, scene), "a subagent that remembers nothing is not told")
	require.NotEmpty(t, told(t, agentprofile.Profile{Role: &chat.Profile{Memory: true}}, scene))
	require.NotContains(t, told(t, agentprofile.Profile{}, chat.Scene{UserPrompt: chat.UserPrompt{Timezone: "Asia/Shanghai"}})["31_profile"], "profile>")
}

func TestRecent_TellsJobsAndTriggersAloneWhatWasSaidLast(t *testing.T) {
	t.Parallel()
	on := policy.Remembers{Recent: 5}
	text := told(t, agentprofile.Profile{Remember: on, Alone: true}, chat.Scene{})["40_recent"]
	require.Contains(t, text, "Times are in UTC.")
	there := told(t, agentprofile.Profile{Remember: on, Alone: true}, chat.Scene{UserPrompt: chat.UserPrompt{Timezone: "Asia/Shanghai"}})["40_recent"]
	require.Contains(t, there, "Times are in Asia/Shanghai.")
	require.Contains(t, there, "[2026-03-02 02:30 user]")
	require.Contains(t, text, "user] the boiler is loud")
	require.Less(t, len(text), 700, "long messages are cut")
	require.Empty(t, told(t, agentprofile.Profile{Remember: on}, chat.Scene{}), "people are not told their own conversation")
	require.Empty(t, told(t, agentprofile.Profile{Alone: true}, chat.Scene{}))
	require.NotContains(t, told(t, agentprofile.Profile{Remember: policy.Remembers{Recent: 1}, Alone: true}, chat.Scene{})["40_recent"], "xxx")
}

func TestRender_HoldsTheNewestFilesWholeAndNamesTheOthers(t *testing.T) {
	t.Parallel()
	var files []chat.SoulFile
	for i := range chat.MaxSoulFiles {
		files = append(files, chat.SoulFile{Name: strings.Repeat("n", 90) + string(rune('A'+i)) + ".md", Content: strings.Repeat("字", 3000), UpdatedAt: time.Unix(int64(i), 0)})
	}
	text := persona.Render(files)
	require.LessOrEqual(t, len([]rune(text)), persona.Limit)
	require.Equal(t, 2, strings.Count(text, "<soul name="))
	require.Contains(t, text, files[len(files)-1].Name)
	require.Contains(t, text, "More: ")
}
