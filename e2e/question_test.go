package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/channel/qq/qqtest"
)

// asked is a server on all platforms whose commands wait for permission. Person 1 of every platform is an administrator, on whose
// machine commands may run.
type asked struct {
	*world

	feishu *onFeishu
	qq     *onQQ
	napcat *atNapCat
}

func newAsked(t *testing.T) *asked {
	t.Helper()
	a := &asked{feishu: newFeishu(t, 2, 1), qq: newQQ(t), napcat: newNapCat(t, 1, 0)}
	a.world = &world{on: []platform{a.feishu, a.qq, a.napcat}}
	env := []string{askForShell}
	for _, p := range a.on {
		env = append(env, p.env()...)
	}
	a.server = newServer(t, env...)
	a.db = a.look()
	a.inForce(letAllIn)
	a.connected()
	for _, p := range a.on {
		p.say(0, 1, "say hello")
	}
	a.reads("hello")
	_, err := a.db.Exec(t.Context(), "UPDATE users SET role = 'admin' WHERE kind = 'person'")
	require.NoError(t, err)
	return a
}

// leaves is a message whose command leaves a trace.
func (a *asked) leaves(trace string) string {
	k := &talk{server: a.server}
	return k.shell("echo %s >> %s", trace, filepath.Join(a.traces, "asked")) + "\nsay done with " + trace
}

// left are the traces of all commands, in alphabetical order.
func (a *asked) left() []string {
	data, err := os.ReadFile(filepath.Join(a.traces, "asked"))
	if err != nil {
		return nil
	}
	lines := strings.Fields(string(data))
	slices.Sort(lines)
	return lines
}

// card is the last message of the bot to person 1 on Feishu that has buttons, or in the group.
func (a *asked) card(chat string) feishutest.Shown {
	a.t.Helper()
	var found feishutest.Shown
	require.Eventually(a.t, func() bool {
		found = feishutest.Shown{}
		for _, m := range a.feishu.Shown(chat, "") {
			if len(m.Buttons) > 0 {
				found = m
			}
		}
		return found.ID != ""
	}, crashLimit, 20*time.Millisecond, "no card with buttons on Feishu")
	return found
}

// keyboard is the last message of the bot to person 1 on QQ that has buttons.
func (a *asked) keyboard() qqtest.Message {
	a.t.Helper()
	var found qqtest.Message
	require.Eventually(a.t, func() bool {
		for _, m := range a.qq.Messages(qqtest.Direct, a.qq.person(1).ID) {
			if len(m.Buttons) > 0 {
				found = m
			}
		}
		return found.ID != ""
	}, crashLimit, 20*time.Millisecond, "no buttons on QQ")
	return found
}

// settled waits until the card of Feishu shows how the question ended.
func (a *asked) settled(chat, card, how string) {
	a.t.Helper()
	require.Eventually(a.t, func() bool {
		for _, m := range a.feishu.Shown(chat, "") {
			if m.ID == card {
				return len(m.Buttons) == 0 && strings.Contains(m.Text, how)
			}
		}
		return false
	}, crashLimit, 20*time.Millisecond, "the card does not show %q: %v", how, a.feishu.shown(0, 1))
}

// toast is what a press is answered with on Feishu.
func toast(t *testing.T, answer map[string]any, err error) string {
	t.Helper()
	require.NoError(t, err)
	said, _ := answer["toast"].(map[string]any)
	return fmt.Sprint(said["type"], ": ", said["content"])
}

func TestQuestion_OnEveryPlatformSurvivesAKillAndRunsTheCommandOnce(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	for _, p := range a.on {
		p.say(0, 1, a.leaves(p.name()))
	}
	a.reads("echo ")
	direct := a.feishu.Direct(a.feishu.people[0])
	card, keys := a.card(direct), a.keyboard()
	require.Contains(t, card.Text, "May Shell run?")
	a.crash()
	a.boot()
	a.connected()
	require.Empty(t, a.left(), "nothing runs before the answer")

	stale, err := a.feishu.Value(card.ID, "allow")
	require.NoError(t, err)
	answer, err := a.feishu.PressValue(card.ID, stale, a.feishu.people[1], nil)
	require.Contains(t, toast(t, answer, err), "error: Only the person who was asked", "somebody else")
	answer, err = a.feishu.Press(card.ID, "allow", a.feishu.people[0], map[string]any{"f0": "go on"})
	require.Equal(t, "success: Allowed: Shell", toast(t, answer, err))
	require.Zero(t, a.qq.Press(a.qq.person(1), keys.ID, "Allow once", 5*time.Second))
	a.napcat.say(0, 1, "/approve")
	a.reads("done with ")
	require.Equal(t, []string{"feishu", "napcat", "qq"}, a.left())
	a.settled(direct, card.ID, "Allowed by ")

	answer, err = a.feishu.PressValue(card.ID, stale, a.feishu.people[0], nil)
	require.Contains(t, toast(t, answer, err), "warning: Allowed by ", "who still sees the button is told")
	a.napcat.say(0, 1, "/approve")
	require.Eventually(t, func() bool { return strings.Contains(strings.Join(a.napcat.shown(0, 1), "\n"), "Nothing here waits") }, time.Minute, 20*time.Millisecond)
	for _, p := range a.on {
		require.Equal(t, 1, strings.Count(strings.Join(p.shown(0, 1), "\n"), "May Shell run?"), "%s: asked once", p.name())
		require.Empty(t, p.broken(), p.name())
	}
	require.Len(t, a.left(), 3)
}

func TestQuestion_DeniedInWordsSettlesItsCardAndAStaleButtonIsRefused(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	a.feishu.say(0, 1, a.leaves("feishu"))
	a.qq.say(0, 1, a.leaves("qq"))
	direct := a.feishu.Direct(a.feishu.people[0])
	card, keys := a.card(direct), a.keyboard()
	stale, err := a.feishu.Value(card.ID, "allow")
	require.NoError(t, err)
	a.feishu.say(0, 1, "/deny not today")
	a.qq.say(0, 1, "/deny not today")
	a.settled(direct, card.ID, "Denied by ")
	a.settled(direct, card.ID, "not today")
	a.reads("done with ", "napcat")
	answer, err := a.feishu.PressValue(card.ID, stale, a.feishu.people[0], nil)
	require.Contains(t, toast(t, answer, err), "warning: Denied by ")
	require.Equal(t, 3, a.qq.Press(a.qq.person(1), keys.ID, "Allow once", 5*time.Second), "QQ says that it was answered before")
	require.Empty(t, a.left())
}

func TestQuestion_InAGroupIsAnsweredByAnAdministrator(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	a.feishu.say(1, 2, "say hello")
	var group string
	require.Eventually(t, func() bool {
		return a.db.QueryRow(t.Context(), "SELECT key FROM sessions WHERE chat_type = 'group'").Scan(&group) == nil
	}, time.Minute, 20*time.Millisecond)
	said := strings.Fields(a.operated("runner", "create", "shared", "--session", group)) // without a runner nobody is asked
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte(said[len(said)-1]), 0o600))
	newProcess(t, "xbot-runner", nil, "--server", "ws"+strings.TrimPrefix(a.url, "http")+"/api/runners/connect", "--token-file", token,
		"--workspace", a.traces, "--state", filepath.Join(t.TempDir(), "state")).start()
	require.Eventually(t, func() bool {
		return regexp.MustCompile(`(?m)^shared .* online `).MatchString(a.operated("runner", "list"))
	}, time.Minute, 100*time.Millisecond)
	a.feishu.say(1, 2, a.leaves("group"))
	card := a.card(a.feishu.groups[0])
	answer, err := a.feishu.Press(card.ID, "allow", a.feishu.people[1], nil)
	require.Contains(t, toast(t, answer, err), "error: Only the person who was asked")
	answer, err = a.feishu.Press(card.ID, "deny", a.feishu.people[0], nil)
	require.Equal(t, "success: Denied: Shell", toast(t, answer, err))
	a.settled(a.feishu.groups[0], card.ID, "Denied by ")
	require.Empty(t, a.left())
}

// asksUser is a message whose turn asks its writer something.
const asksUser = `call AskUser {"questions":[{"question":"Which colour?","options":[{"label":"red"},{"label":"blue"}],"allow_other":true}]}` + "\nsay thanks"

func TestQuestion_OfTheModelIsAnsweredByFormButtonAndText(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	for _, p := range a.on {
		p.say(0, 1, asksUser)
	}
	a.reads("Which colour?")
	direct := a.feishu.Direct(a.feishu.people[0])
	card, keys := a.card(direct), a.keyboard()
	a.crash()
	a.boot()
	a.connected()
	answer, err := a.feishu.Press(card.ID, "send", a.feishu.people[0], map[string]any{"f0": "red"})
	require.Contains(t, toast(t, answer, err), "success: Thank you")
	require.Zero(t, a.qq.Press(a.qq.person(1), keys.ID, "blue", 5*time.Second))
	a.napcat.say(0, 1, "green, if there is one")
	a.reads("thanks")
	a.settled(direct, card.ID, "red")
	var sent strings.Builder
	for _, r := range a.model.Requests() {
		sent.Write(r.Raw)
	}
	for _, said := range []string{`"red"`, `"blue"`, "green, if there is one"} {
		require.Contains(t, sent.String(), said, "the model reads the answer")
	}
}
