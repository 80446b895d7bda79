package intake_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/settings"
)

// count makes the dispatcher know a command that answers how often it ran.
func (b *bundle) count(fail error) *atomic.Int64 {
	var ran atomic.Int64
	b.Dispatch.Commands = ingresstest.Commands(b.Store, command{
		spec: slashcommand.Spec{Name: "count", Usage: "[WORD]", Help: i18n.HelpUsage},
		run: func(_ context.Context, in slashcommand.Request, args string) (string, error) {
			ran.Add(1)
			return in.UserName + " " + args, fail
		},
	})
	return &ran
}

func TestCommand_IsAnsweredWithoutATurnAndNotSeenByTheModel(t *testing.T) {
	b := setup(t)
	b.count(nil)
	got, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "c1", "/count  up "))
	require.NoError(t, err)
	b.Woken.Wait()
	require.Empty(t, b.Wakes.Sessions(), "nobody is woken")

	messages := b.Transcript(ingresstest.Key).Messages
	require.Len(t, messages, 2)
	require.Equal(t, chat.RoleUser, messages[0].Role)
	require.Equal(t, "/count  up ", messages[0].Content)
	require.Equal(t, got.ID, messages[0].Inbox)
	require.Equal(t, "c1", messages[0].ClientMessageID)
	require.Equal(t, chat.RoleNotice, messages[1].Role)
	require.Equal(t, "alice up", messages[1].Content)
	for _, m := range messages {
		require.Equal(t, chat.OriginCommand, m.Origin)
	}
	window, err := b.Conversations.Window(t.Context(), ingresstest.Key)
	require.NoError(t, err)
	require.Empty(t, window.Lines)
	_, claimed, err := b.Turns.Claim(t.Context(), ingresstest.Key, "t1", "r1", 0)
	require.NoError(t, err)
	require.False(t, claimed, "it is no message for a turn")
}

func TestCommand_SentAgainIsTheSameCommandAndRunsOnce(t *testing.T) {
	b := setup(t)
	ran := b.count(nil)
	var wg sync.WaitGroup
	var fresh atomic.Int64
	for range 20 {
		wg.Go(func() {
			got, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "c1", "/count"))
			if err == nil && !got.Duplicate {
				fresh.Add(1)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, fresh.Load())
	require.EqualValues(t, 1, ran.Load())
	require.Len(t, b.Transcript(ingresstest.Key).Messages, 2)

	_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "c1", "/count other"))
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.EqualValues(t, 1, ran.Load())
}

func TestCommand_ARefusalIsItsAnswer(t *testing.T) {
	b := setup(t)
	b.count(fault.Errorf(fault.Conflict, "that name is taken: choose another one"))
	_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "c1", "/count"))
	require.NoError(t, err)
	require.Equal(t, "that name is taken: choose another one", b.Transcript(ingresstest.Key).Messages[1].Content)
}

func TestCommand_ThatBrokeLeavesNothingAndMayBeSentAgain(t *testing.T) {
	b := setup(t)
	b.count(fault.Errorf(fault.Unavailable, "away"))
	_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "c1", "/count"))
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Empty(t, b.Transcript(ingresstest.Key).Messages)

	b.count(nil)
	got, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "c1", "/count"))
	require.NoError(t, err)
	require.False(t, got.Duplicate)
}

func TestHelp_NamesTheCommandsByGroupAndExplainsOne(t *testing.T) {
	b := setup(t)
	b.Dispatch.Commands = ingresstest.Commands(b.Store, command{spec: slashcommand.Spec{
		Name: "tidy", Aliases: []string{"neat"}, Usage: "[WORD]", Help: i18n.HelpUsage, Group: slashcommand.GroupModel, Who: slashcommand.Owner, When: slashcommand.InTurn,
	}}, command{spec: slashcommand.Spec{Name: "rule", Help: i18n.HelpUsage, Group: slashcommand.GroupServer, Who: slashcommand.Admin, When: slashcommand.InTurn}})
	say := func(id, text string) string {
		t.Helper()
		_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, id, text))
		require.NoError(t, err)
		return b.LastAnswer(ingresstest.Key)
	}
	require.Contains(t, say("1", "/help all"), "* **Conversation**: `/stop`\n* **Model**: `/tidy`\n* **You and help**: `/help` `/commands`\n* **Server**: `/rule`\n")
	require.Contains(t, say("2", "/commands"), "* `/tidy [WORD]` "+i18n.Say(i18n.English, i18n.HelpUsage))
	for i, text := range []string{"/help tidy", "/help /NEAT"} {
		said := say(fmt.Sprint("3", i), text)
		require.Contains(t, said, "`/tidy [WORD]`")
		require.Contains(t, said, "Also: `/neat`")
		require.Contains(t, said, i18n.Say(i18n.English, i18n.HelpQueued)+" "+i18n.Say(i18n.English, i18n.HelpOwners))
	}
	require.Contains(t, say("4", "/help tdy"), "Did you mean `/tidy`?")

	bob := b.Visitor("direct")
	in := b.Inbound(ingresstest.Key, "5", "/commands")
	in.User = bob.ID
	_, err := b.Dispatch.Message(t.Context(), in)
	require.NoError(t, err)
	require.NotContains(t, b.LastAnswer(ingresstest.Key), "/tidy", "it is not for them")
	require.Contains(t, b.LastAnswer(ingresstest.Key), "/help")
}

func TestCommand_AQueuedOneWaitsForATurnUnderAnyOfItsNames(t *testing.T) {
	b := setup(t)
	b.Dispatch.Commands = ingresstest.Commands(b.Store, command{spec: slashcommand.Spec{Name: "tidy", Aliases: []string{"neat"}, Help: i18n.HelpCompact, When: slashcommand.InTurn}})
	_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "m1", "hello"))
	require.NoError(t, err)
	for range 2 {
		_, err = b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "c1", "/neat up"))
		require.NoError(t, err)
	}
	b.Woken.Wait()
	require.Contains(t, b.Wakes.Sessions(), ingresstest.Key)

	first, _, err := b.Turns.Claim(t.Context(), ingresstest.Key, "t1", "r1", 0)
	require.NoError(t, err)
	require.False(t, first.Control)
	_, err = b.Turns.FinishTurn(t.Context(), ingresstest.Key, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	second, _, err := b.Turns.Claim(t.Context(), ingresstest.Key, "t2", "r2", 0)
	require.NoError(t, err)
	require.True(t, second.Control)
	require.Equal(t, "/neat up", second.Text)
	window, err := b.Conversations.Window(t.Context(), ingresstest.Key)
	require.NoError(t, err)
	require.Len(t, window.Lines, 1, "the model sees the message, and no command")
}

func TestCommand_HelpAnswersInTheLanguageOfTheQuestion(t *testing.T) {
	b := setup(t)
	b.count(nil)
	_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "c1", "/help 中文"))
	require.NoError(t, err)
	require.Contains(t, b.LastAnswer(ingresstest.Key), i18n.Say(i18n.Chinese, i18n.CommandUnknown, "中文"))
}

// guarded makes the dispatcher know commands for some people alone.
func (b *bundle) guarded() {
	said := func(context.Context, slashcommand.Request, string) (string, error) { return "done", nil }
	b.Dispatch.Commands = ingresstest.Commands(b.Store,
		command{spec: slashcommand.Spec{Name: "all", Help: i18n.HelpUsage}, run: said},
		command{spec: slashcommand.Spec{Name: "own", Help: i18n.HelpUsage, Who: slashcommand.Owner}, run: said},
		command{spec: slashcommand.Spec{Name: "late", Help: i18n.HelpUsage, Who: slashcommand.Owner, When: slashcommand.InTurn}},
		command{spec: slashcommand.Spec{Name: "rule", Help: i18n.HelpUsage, Who: slashcommand.Admin}, run: said},
	)
}

func TestCommand_ThoseWhoMayNotAreToldSoInDirectChats(t *testing.T) {
	b := setup(t)
	b.guarded()
	bob := b.Visitor("direct")
	for text, want := range map[string]string{
		"/all":  "done",
		"/own":  i18n.Say(i18n.English, i18n.CommandOwners, "own"),
		"/late": i18n.Say(i18n.English, i18n.CommandOwners, "late"),
		"/rule": i18n.Say(i18n.English, i18n.CommandAdmins, "rule"),
	} {
		in := b.Inbound(ingresstest.Key, text, text)
		in.User = bob.ID
		_, err := b.Dispatch.Message(t.Context(), in)
		require.NoError(t, err, text)
		require.Equal(t, want, b.LastAnswer(ingresstest.Key), text)
	}
	require.Empty(t, b.Transcript(ingresstest.Key).Queued, "no place in the queue is taken")
	for _, text := range []string{"/own", "/rule"} {
		_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, text+" admin", text))
		require.NoError(t, err)
		require.Equal(t, "done", b.LastAnswer(ingresstest.Key), "administrators may use all")
	}
}

func TestCommand_ThoseWhoMayNotAreNotAnsweredInGroups(t *testing.T) {
	b := setup(t)
	b.guarded()
	bob := b.Visitor("group")
	for _, text := range []string{"/own", "/late", "/rule"} {
		in := b.Inbound(ingresstest.Key, text, text)
		in.User = bob.ID
		_, err := b.Dispatch.Message(t.Context(), in)
		require.ErrorIs(t, err, intake.ErrIgnored, text)
	}
	require.Empty(t, b.Transcript(ingresstest.Key).Messages)
	require.Empty(t, b.Transcript(ingresstest.Key).Queued)
}

func TestCommand_AnOwnersCommandIsTheirsInTheirOwnConversationAlone(t *testing.T) {
	b := setup(t)
	b.guarded()
	bob := b.Visitor("direct")
	const own = chat.SessionKey("agent:main:web:thread:bob")
	_, err := b.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: own, Owner: bob.ID, Channel: "web"})
	require.NoError(t, err)
	for text, want := range map[string]string{"/own": "done", "/rule": i18n.Say(i18n.English, i18n.CommandAdmins, "rule")} {
		in := b.Inbound(own, text, text)
		in.User = bob.ID
		_, err := b.Dispatch.Message(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, want, b.LastAnswer(own))
	}
}

func TestCommand_IsAnsweredInTheChosenLanguageElseInTheOneWrittenLast(t *testing.T) {
	b := setup(t)
	b.count(nil)
	help := func(id string) string {
		t.Helper()
		_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, id, "/help"))
		require.NoError(t, err)
		return b.LastAnswer(ingresstest.Key)
	}
	english, chinese := i18n.Say(i18n.English, i18n.HelpMore), i18n.Say(i18n.Chinese, i18n.HelpMore)
	require.Contains(t, help("c1"), english, "nothing was written yet")
	_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "m1", "今天天气怎么样"))
	require.NoError(t, err)
	require.Contains(t, help("c2"), chinese, "of a message that waits")
	_, _, err = b.Turns.Claim(t.Context(), ingresstest.Key, "t1", "r1", 0)
	require.NoError(t, err)
	require.Contains(t, help("c3"), chinese, "of a message in the transcript")
	b.MakeSession("agent:main:web:thread:other")
	_, err = b.Dispatch.Message(t.Context(), b.Inbound("agent:main:web:thread:other", "c4", "/help"))
	require.NoError(t, err)
	require.Contains(t, b.LastAnswer("agent:main:web:thread:other"), chinese, "of another conversation")
	require.NoError(t, b.Settings.SetUserSetting(t.Context(), b.User.ID, settings.Language, "en"))
	require.Contains(t, help("c5"), english, "the choice wins")
	b.Woken.Wait()
}

// preparer is a command that is carried out before the message behind it is taken.
type preparer struct {
	command
	prepared *bool
}

func (preparer) Split(_ context.Context, _ chat.UserID, args string) (own, text string) {
	return slashcommand.FirstWord(args)
}

func (p preparer) Prepared(context.Context, slashcommand.Request, string) (bool, error) {
	return *p.prepared, nil
}

func TestExecute_AMessageBehindAPreparerIsTakenOnlyWhereItHasPrepared(t *testing.T) {
	b := setup(t)
	prepared := false
	b.Dispatch.Commands = ingresstest.Commands(b.Store, preparer{prepared: &prepared, command: command{
		spec: slashcommand.Spec{Name: "open", Usage: "WORD [TEXT…]", Help: i18n.HelpUsage},
		run: func(_ context.Context, _ slashcommand.Request, args string) (string, error) {
			prepared = args == "door"
			return "opened " + args, nil
		},
	}})
	lines := func() (out []string) {
		for _, m := range b.Transcript(ingresstest.Key).Messages {
			out = append(out, m.Content)
		}
		return out
	}
	for range 2 { // it is delivered again
		_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "m1", "/open wall come in"))
		require.NoError(t, err)
	}
	require.Equal(t, []string{"/open wall", "opened wall"}, lines())
	_, claimed, err := b.Turns.Claim(t.Context(), ingresstest.Key, "t1", "r1", 0)
	require.NoError(t, err)
	require.False(t, claimed, "the message was not taken")

	for range 2 {
		_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "m2", "/open door come in"))
		require.NoError(t, err)
	}
	_, claimed, err = b.Turns.Claim(t.Context(), ingresstest.Key, "t1", "r1", 0)
	require.NoError(t, err)
	require.True(t, claimed)
	pending, err := b.Turns.FinishTurn(t.Context(), ingresstest.Key, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	require.False(t, pending, "it was taken once")
	require.Equal(t, []string{"/open door", "opened door", "come in"}, lines()[2:])
}
