package intake_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// models are two words that mean a model.
type models struct{}

func (models) Resolve(_ context.Context, _ chat.UserID, word string) (string, bool) {
	id := map[string]string{"fast": "demo/fast", "slow": "demo/slow", "review": "demo/reviewer"}[word]
	return id, id != ""
}

func (m models) Named(ctx context.Context, user chat.UserID, word string) []string {
	if word == "review" { // a part of a name
		return nil
	}
	return m.Candidates(ctx, user, word)
}

func (models) Candidates(_ context.Context, _ chat.UserID, word string) []string {
	return map[string][]string{"fast": {"demo/fast"}, "slow": {"demo/slow"}, "demo": {"demo/fast", "demo/slow"}}[word]
}

// speaking makes the dispatcher know commands that answer with what they were told.
func (b *bundle) speaking() {
	said := func(name string) func(context.Context, slashcommand.Request, string) (string, error) {
		return func(_ context.Context, _ slashcommand.Request, args string) (string, error) {
			return strings.TrimSpace("did " + name + " " + args), nil
		}
	}
	split := func(_ context.Context, args string) (own, text string) {
		word, rest, _ := strings.Cut(args, " ")
		if id, ok := (models{}).Resolve(context.Background(), 0, word); ok {
			return id, strings.TrimSpace(rest)
		}
		return "", args
	}
	b.Dispatch.Commands = ingresstest.Commands(b.Store,
		command{spec: slashcommand.Spec{Name: "think", Aliases: []string{"t"}, Usage: "[high|low]", Help: i18n.HelpUsage}, run: said("think")},
		command{spec: slashcommand.Spec{Name: "verbose", Usage: "[on|off]", Help: i18n.HelpUsage}, run: said("verbose")},
		command{spec: slashcommand.Spec{Name: "plan", Usage: "[on|off|MESSAGE]", Help: i18n.HelpUsage}, run: said("plan")},
		command{spec: slashcommand.Spec{Name: "queue", Help: i18n.HelpUsage}, run: said("queue")},
		command{spec: slashcommand.Spec{Name: "model", Usage: "[MODEL]", Help: i18n.HelpUsage, When: slashcommand.InTurn}},
		splitting{command: command{spec: slashcommand.Spec{Name: "new", Usage: "[MODEL] [MESSAGE]", Help: i18n.HelpUsage, When: slashcommand.InTurn}}, split: split},
		command{spec: slashcommand.Spec{Name: "status", Help: i18n.HelpUsage, Inline: true}, run: said("status")},
		command{spec: slashcommand.Spec{Name: "usage", Help: i18n.HelpUsage, Inline: true}, run: said("usage")},
		command{spec: slashcommand.Spec{Name: "secret", Help: i18n.HelpUsage, Inline: true, Who: slashcommand.Admin}, run: said("secret")},
	)
	b.Dispatch.Commands.Models = models{}
	b.Dispatch.Commands.Skills = skills{"review", "diary"}
}

// accepted says what became of a text in a session of its own: what was answered at once, then what waits, each with the id
// that it bears.
func (b *bundle) accepted(n int, text string) (rows []string) {
	b.T.Helper()
	key := chat.SessionKey(fmt.Sprintf("agent:main:web:thread:read%d", n))
	b.MakeSession(key)
	for range 2 { // the second delivery changes nothing
		_, err := b.Dispatch.Message(b.T.Context(), b.Inbound(key, fmt.Sprintf("x%d", n), text))
		require.NoError(b.T, err, text)
	}
	id := func(platform string) string { return strings.Replace(platform, fmt.Sprintf("x%d", n), "x", 1) }
	messages := b.Transcript(key).Messages
	for i := 0; i+1 < len(messages); i += 2 {
		rows = append(rows, fmt.Sprintf("%s: %s -> %s", id(messages[i].ClientMessageID), messages[i].Content, messages[i+1].Content))
	}
	waiting, err := b.Pool.Query(b.T.Context(), `SELECT kind || ' ' || platform_id || ': ' || body || CASE options WHEN '{}' THEN '' ELSE ' ' || options::text END ||
		CASE mode WHEN 'followup' THEN '' ELSE ' ' || mode END FROM inbox WHERE session_key = $1 AND kind <> 'command' OR session_key = $1 AND outcome IS NULL ORDER BY id`, key)
	require.NoError(b.T, err)
	defer waiting.Close()
	for waiting.Next() {
		var row string
		require.NoError(b.T, waiting.Scan(&row))
		rows = append(rows, id(row))
	}
	require.NoError(b.T, waiting.Err())
	return rows
}

func TestMessage_IsReadAsItWasMeant(t *testing.T) {
	b := setup(t)
	b.speaking()
	escape := func(name string) string { return i18n.Say(i18n.English, i18n.CommandEscape, name) }
	for i, c := range []struct {
		text string
		want []string
	}{
		{"hello", []string{"message x: hello"}},
		{"/etc/hosts is odd", []string{"message x: /etc/hosts is odd"}},
		{"/tmp is full", []string{"message x: /tmp is full"}},
		{`\/status`, []string{"message x: /status"}},
		{"//status", []string{"message x: /status"}},
		{"// status", []string{"message x: // status"}},
		{"/review this", []string{`message x: /review this {"skill": "review"}`}},
		{"/mcp_diary_day 3", []string{`message x: /mcp_diary_day 3 {"skill": "mcp_diary_day", "prompt_tool": "mcp_diary_prompts"}`}},
		{"/statsu", []string{"x: /statsu -> There is no command `/statsu`. Did you mean `/status`? " + escape("statsu")}},
		{"/frobnicate it", []string{"x: /frobnicate it -> There is no command `/frobnicate`. " + escape("frobnicate")}},
		{"/stop", []string{"x: /stop -> Nothing was running.", "stop x: /stop"}},
		{"/cancel", []string{"x: /cancel -> Nothing was running.", "stop x: /cancel"}},
		{"/cancel the meeting at nine", []string{"message x: /cancel the meeting at nine"}},

		{"/think high", []string{"x: /think high -> did think high"}},
		{"／think: high", []string{"x: ／think: high -> did think high"}},
		{"/think", []string{"x: /think -> did think"}},
		{"/think hard about it", []string{"x: /think hard about it -> did think hard about it"}},
		{"/t high why?", []string{`message x: why? {"think": "high"}`}},
		{"/think high /verbose on why?", []string{`message x: why? {"think": "high", "verbose": "on"}`}},
		{"/queue steer why?", []string{"message x: why? steer"}},
		{"/think high /model fast why?", []string{"control x#1: /model fast", `message x: why? {"think": "high"}`}},
		{"/model slow /model fast why?", []string{"control x#1: /model fast", "message x: why?"}},
		{"/model fast", []string{"control x: /model fast"}},
		{"/model quick", []string{"control x: /model quick"}},
		{"/think high /verbose on", []string{"x: /think high /verbose on -> did think high\n\ndid verbose on"}},
		{"/think high /model fast", []string{"x: /think high -> did think high", "control x#1: /model fast"}},
		{"/think high /status", []string{"x: /think high /status -> did think high\n\ndid status"}},
		{"/think high /model", []string{"x: /think high -> did think high", "control x#1: /model"}},
		{"/think high /stop", []string{"x#?: /think high -> did think high", "x: /think high /stop -> Nothing was running.", "stop x: /think high /stop"}},
		{"/think high !ls", []string{"x#?: /think high -> did think high", "command x: /think high !ls"}},

		{"/new", []string{"control x: /new"}},
		{"/new fast", []string{"control x: /new demo/fast"}},
		{"/new fast hello there", []string{"control x: /new demo/fast", "message x#text: hello there"}},
		{"/new hello there", []string{"control x: /new", "message x#text: hello there"}},
		{"/plan /new tidy up", []string{"control x: /new", `message x#text: tidy up {"plan": true}`}},
		{"/think high /new hello", []string{"x#?: /think high -> did think high", "control x: /new", "message x#text: hello"}},

		{"/status", []string{"x: /status -> did status"}},
		{"/status how is it going", []string{"x#?: /status -> did status", "message x: how is it going"}},
		{"hey /status and /usage please", []string{"x#?: /status /usage -> did status\n\ndid usage", "message x: hey and please"}},
		{"hey /secret please", []string{"x#?: /secret -> did secret", "message x: hey please"}},
		{"is `/status` any good", []string{"message x: is `/status` any good"}},
		{"/think high hey /status", []string{"x#?: /status -> did status", `message x: hey {"think": "high"}`}},
		{"/status /usage", []string{"x: /status /usage -> did status\n\ndid usage"}},
		{"what does /think high do", []string{"message x: what does /think high do"}},
	} {
		require.Equal(t, c.want, b.accepted(i, c.text), c.text)
	}
	b.Woken.Wait()
}

func TestMessage_ShortcutsOfThoseWhoMayNotUseThemAreText(t *testing.T) {
	b := setup(t)
	b.speaking()
	bob := b.Visitor("direct")
	in := b.Inbound(ingresstest.Key, "m1", "hey /secret please")
	in.User = bob.ID
	_, err := b.Dispatch.Message(t.Context(), in)
	require.NoError(t, err)
	require.Empty(t, b.Transcript(ingresstest.Key).Messages)
	require.Equal(t, "hey /secret please", b.Transcript(ingresstest.Key).Queued[0].Text)
	b.Woken.Wait()
}

func TestCommands_KnowsWhatIsOneOfThemAlone(t *testing.T) {
	b := setup(t)
	b.speaking()
	for text, want := range map[string]bool{
		"/status": true, "/think high": true, "/STOP": true, "/status how is it": false, "/statsu": false, "hello": false, "/t": true, `\/status`: false,
	} {
		require.Equal(t, want, b.Dispatch.Commands.Knows(text), text)
	}
}

// skills are the names that mean something to the model.
type skills []string

func (s skills) HasSkill(_ context.Context, _ chat.UserID, _ chat.SessionKey, name string) bool {
	return slices.Contains(s, name)
}

// SkillOff: the installation has switched off one.
func (skills) SkillOff(_ context.Context, name string) bool { return name == "forbidden" }

func (s skills) PromptTool(_ context.Context, _ chat.UserID, _ chat.SessionKey, name string) string {
	if strings.HasPrefix(name, "mcp_diary_") && slices.Contains(s, "diary") {
		return "mcp_diary_prompts"
	}
	return ""
}
