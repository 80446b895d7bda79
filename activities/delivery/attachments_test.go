package delivery_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"xbot/activities/activitiestest"
	"xbot/activities/delivery"
	"xbot/activities/files"
	"xbot/internal/channel"
	"xbot/internal/channel/card"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool/tooltest"
)

// posts sends an answer of a model, trying as often as Temporal would.
func posts(b *activitiestest.ProjectFolder, p *post, tries int) error {
	b.T.Helper()
	return postsBy(b, p, p, tries)
}

// postsBy sends by other accounts.
func postsBy(b *activitiestest.ProjectFolder, p *post, accounts files.Accounts, tries int) error {
	d := &delivery.Deliverer{
		Outbox: p, Accounts: accounts, Files: &files.Folders{Sessions: b, Sandboxes: b},
		Split:  func(text string, _ channel.Dialect, _ int) []string { return strings.Split(text, "|") },
		Policy: everywhere{MaxAge: 24 * time.Hour, Late: 10 * time.Minute},
	}
	var suite testsuite.WorkflowTestSuite
	var last error
	for range tries {
		env := suite.NewTestActivityEnvironment()
		env.RegisterActivity(d.Send)
		if _, last = env.ExecuteActivity(d.Send, delivery.SendInput{ID: 1}); last == nil {
			break
		}
	}
	return last
}

func linking(t *testing.T, text string) (*activitiestest.ProjectFolder, *post) {
	t.Helper()
	p := newPost(text)
	p.o.Answer, p.traits.MaxFile = true, 1000
	return &activitiestest.ProjectFolder{Sandbox: tooltest.New(t), T: t}, p
}

func TestSend_SendsTheFilesThatAnAnswerLinksBehindItsText(t *testing.T) {
	b, p := linking(t, "")
	b.Sandbox.Put(t, "project/out/plot.png", "a picture")
	table := b.Sandbox.Put(t, "table.csv", "1,2")
	p.o.Text = "See ![the plot](out/plot.png) and [table](" + table + "), again ![](out/plot.png).|More."
	p.o.Before = 1
	require.NoError(t, posts(b, p, 1))
	require.Equal(t, []string{"n.0 See the plot (plot.png) and table (table.csv), again plot.png.", "n.1 More.", "n.2 ", "n.3 "}, p.texts())
	require.Equal(t, channel.File{Name: "plot.png", Type: "image/png", Data: []byte("a picture")}, *p.got[2].File)
	require.Equal(t, "table.csv", p.got[3].File.Name)
	require.Equal(t, 5, p.got[3].Seq)
	require.Equal(t, chat.OutboundSent, p.end)
}

func TestSend_SaysWhichFilesAreNotSentAndWhy(t *testing.T) {
	b, p := linking(t, "[a](gone.txt) [b](/etc/passwd) [c](../../x) [d](src) [e](large.bin) [f](empty)")
	b.Sandbox.Put(t, "project/src/main.go", "package main")
	b.Sandbox.Put(t, "project/large.bin", strings.Repeat("x", 1001))
	b.Sandbox.Put(t, "project/empty", "")
	require.NoError(t, posts(b, p, 1))
	require.Len(t, p.got, 1)
	for _, said := range []string{
		"gone.txt was not sent: there is no such file", "/etc/passwd was not sent: it is outside", "../../x was not sent: it is outside",
		"src was not sent: it is a folder", "large.bin was not sent: files may have at most 0 kB", "empty was not sent: it is empty",
	} {
		require.Contains(t, p.got[0].Text, said)
	}
}

func TestSend_ACardOfAModelHasThePicturesThatCanBeRead(t *testing.T) {
	b, p := linking(t, "")
	plot := b.Sandbox.Put(t, "project/plot.png", "a picture")
	large := b.Sandbox.Put(t, "project/large.png", strings.Repeat("x", 1001))
	made, err := json.Marshal(card.Card{Title: "Plots", Runner: b.Sandbox.Name(), Elements: []card.Element{
		{Kind: card.Images, Files: []string{plot, "/etc/x.png", large, plot}},
	}})
	require.NoError(t, err)
	p.o.Kind, p.o.Text, p.o.Answer = chat.OutboundCard, string(made), false
	require.NoError(t, postsBy(b, p, &fakePlatform{post: p}, 1))
	require.Equal(t, map[string]channel.File{plot: {Name: "plot.png", Type: "image/png", Data: []byte("a picture")}}, p.got[0].Card.Images)

	b, p = linking(t, "")
	b.BoxErr = fault.Errorf(fault.Unavailable, "runner laptop is offline")
	p.o.Kind, p.o.Text = chat.OutboundCard, string(made)
	require.NoError(t, postsBy(b, p, &fakePlatform{post: p}, 1))
	require.Empty(t, p.got[0].Card.Images, "a card does not wait for a machine that is away")
}

func TestSend_DoesNotWaitForARunnerThatIsAway(t *testing.T) {
	b, p := linking(t, "[a](a.txt)")
	b.BoxErr = fault.Errorf(fault.Unavailable, "runner laptop is offline")
	require.NoError(t, posts(b, p, 1))
	require.Contains(t, p.got[0].Text, "a.txt was not sent: its machine does not answer now")
}

func TestSend_WhilePostgresIsAwayTheMachineIsNotToBlame(t *testing.T) {
	b, p := linking(t, "[a](a.txt)")
	b.BoxErr = fault.Away("Postgres", "find the runner: connection refused")
	require.Error(t, posts(b, p, 1))
	require.Empty(t, p.got, "nothing is sent that says so")
	require.Empty(t, p.end, "it is tried again")
}

func TestSend_SendsAtMostTenFilesAndNotMoreThanThePlatformPermits(t *testing.T) {
	for most, traits := range map[int]channel.Traits{10: {}, 3: {Replies: 5}} {
		b, p := linking(t, "")
		for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"} {
			b.Sandbox.Put(t, "project/"+name, name)
			p.o.Text += "[" + name + "](" + name + ") "
		}
		p.o.Before, p.traits.Replies = 1, traits.Replies
		require.NoError(t, posts(b, p, 1))
		require.Len(t, p.got, 1+most)
		require.Contains(t, p.got[0].Text, "k was not sent: at most")
	}
}

func TestSend_SaysWhatThePlatformRefusesInPlaceOfTheFile(t *testing.T) {
	b, p := linking(t, "[a](a.zip) [b](b.txt)")
	b.Sandbox.Put(t, "project/a.zip", "zip")
	b.Sandbox.Put(t, "project/b.txt", "text")
	p.answer = func(m channel.Message) error {
		if m.File != nil && m.File.Name == "a.zip" {
			return fault.Errorf(fault.Denied, "no archives here")
		}
		return nil
	}
	require.NoError(t, posts(b, p, 1))
	require.Len(t, p.got, 3)
	require.Equal(t, "n.1 ⚠️ a.zip was not sent: no archives here", p.texts()[1])
	require.Equal(t, "b.txt", p.got[2].File.Name)
	require.Equal(t, chat.OutboundSent, p.end)
}

func TestSend_AFileOfUnknownOutcomeThatIsGoneIsLookedForAndNotSentAgain(t *testing.T) {
	for name, found := range map[string]bool{"found": true, "not found": false} {
		t.Run(name, func(t *testing.T) {
			b, p := linking(t, "[a](a.txt)")
			b.Sandbox.Put(t, "project/a.txt", "text")
			p.finds = func(m channel.Message) bool { return found && m.File.Name == "a.txt" }
			p.answer = func(m channel.Message) error {
				if m.File == nil {
					return nil
				}
				require.NoError(t, b.Sandbox.Remove(t.Context(), "project/a.txt"))
				return channel.Uncertain(fault.Errorf(fault.Unavailable, "the connection broke"))
			}
			require.NoError(t, posts(b, p, 2))
			require.Len(t, p.got, 1, "the text")
			require.Equal(t, map[bool]string{true: chat.OutboundSent, false: chat.OutboundUncertain}[found], p.end)
		})
	}
}

func TestSend_ANoticeKeepsItsLinks(t *testing.T) {
	b, p := linking(t, "[a](a.txt)")
	p.o.Answer = false
	b.Sandbox.Put(t, "project/a.txt", "text")
	require.NoError(t, posts(b, p, 1))
	require.Equal(t, []string{"n.0 [a](a.txt)"}, p.texts())
}
