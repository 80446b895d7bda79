package compress_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities/activitiestest"
	"xbot/internal/chat"
	"xbot/internal/llm/llmtest"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/window"
)

// planted is a fact of a long conversation: a sentence, and the words of it that must not be lost.
type planted struct{ kind, sentence, words string }

// plant makes the n-th fact, from 0. A quarter of the facts are of each kind.
func plant(n int) planted {
	p := planted{kind: []string{"id", "path", "number", "decision"}[n%4]}
	switch p.kind {
	case "id":
		p.words = fmt.Sprintf("ORD-%d", 70_000+n*37)
		p.sentence = "the order that broke is " + p.words
	case "path":
		p.words = fmt.Sprintf("/data/exports/q%d/part-%d.parquet", n, n*3)
		p.sentence = "the numbers are in " + p.words
	case "number":
		p.words = fmt.Sprintf("%d MB", 1700+n)
		p.sentence = fmt.Sprintf("the quota of team %c is %s", 'A'+n%26, p.words)
	default:
		p.words = "we keep the " + []string{"blue", "green", "amber", "violet"}[n/4%4] + " " + []string{"plan", "queue", "ledger", "gate"}[n/16%4]
		p.sentence = p.words + " and drop the other one"
	}
	p.sentence = fmt.Sprintf("Note %d: %s.", n, p.sentence)
	return p
}

var note = regexp.MustCompile(`Note \d+: [^\n]*?\.(?:\s|$)`)

// keeping is a writer of summaries that keeps each note of which keep says so.
func keeping(keep func(i int) bool) llmtest.Handler {
	return func(r llmtest.Request) llmtest.Reply {
		var kept []string
		for i, sentence := range note.FindAllString(r.Messages[0].Content, -1) {
			if sentence = "- " + strings.TrimSpace(sentence); keep(i) && !slices.Contains(kept, sentence) {
				kept = append(kept, sentence)
			}
		}
		return llmtest.Reply{Text: activitiestest.Sections("What was said:\n" + strings.Join(kept, "\n"))}
	}
}

// TestRetention_OfFactsOverFourCompressions plants 60 facts over a long conversation that is compressed four times, and
// counts what the model sees in the end, and what it sees or can recall. Run it with -v for the figures.
func TestRetention_OfFactsOverFourCompressions(t *testing.T) {
	const facts, rounds = 60, 4
	writers := []struct {
		name       string
		write      llmtest.Handler
		seen, kept int // percent, at least
	}{
		{"faithful", keeping(func(int) bool { return true }), 95, 100},
		{"lossy", keeping(func(i int) bool { return i%2 == 0 }), 75, 100},
		{"hostile", func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: "As a model I would rather not."} }, 50, 100},
	}
	for _, writer := range writers {
		t.Run(writer.name, func(t *testing.T) {
			b := &retention{activitiestest.Past(t, 0, activitiestest.PlainMessage)}
			b.CloseTurn("now")
			b.Server.Handle(writer.write)
			for round := range rounds {
				for i := range facts / rounds {
					b.tell(round*facts/rounds + i)
				}
				b.filler(round)
				id := chat.TurnID(fmt.Sprintf("compact-%d", round))
				b.OpenTurn(id, activitiestest.PlainMessage)
				require.NotEmpty(t, b.CompressIn(id).Method)
				b.CloseTurn(id)
			}
			seen, kept, byKind := b.retained(facts)
			t.Logf("%s: %d %% seen, %d %% seen or recalled; seen by kind: %v", writer.name, seen, kept, byKind)
			require.GreaterOrEqual(t, seen, writer.seen)
			require.GreaterOrEqual(t, kept, writer.kept)
		})
	}
}

// retention is a conversation of which it is measured what a summary keeps.
type retention struct{ *activitiestest.Conversation }

// tell is a turn with a fact in it, said by the person or by the model, among other words.
func (b *retention) tell(n int) {
	b.T.Helper()
	id := chat.TurnID(fmt.Sprintf("fact-%d", n))
	asked, answer := "And what about part "+fmt.Sprint(n)+"?", "I looked at it. "+strings.Repeat("There is more to say. ", 40)
	if n%2 == 0 {
		asked += " " + plant(n).sentence
	} else {
		answer += plant(n).sentence
	}
	b.OpenTurn(id, engine.NewRow{Text: asked})
	b.CommitAnswer(id, 0, chat.Answer{Text: answer, Finish: "stop"})
	b.CloseTurn(id)
}

// filler is turns without facts that push the others out of what stays word for word.
func (b *retention) filler(round int) {
	b.T.Helper()
	for i := range 8 {
		id := chat.TurnID(fmt.Sprintf("filler-%d-%d", round, i))
		b.OpenTurn(id, engine.NewRow{Text: "go on"})
		b.CommitAnswer(id, 0, chat.Answer{Text: strings.Repeat("This and that happened while nothing of note did. ", 200), Finish: "stop"})
		b.CloseTurn(id)
	}
}

// retained counts how many of the facts the model sees, and how many it sees or finds by the ids that it sees.
func (b *retention) retained(facts int) (seen, kept int, byKind map[string]int) {
	b.T.Helper()
	var view strings.Builder
	for _, l := range b.View() {
		view.WriteString(l.Message.Content + "\n")
	}
	within := b.reach(view.String(), map[string]bool{})
	byKind = map[string]int{}
	for n := range facts {
		p := plant(n)
		if strings.Contains(view.String(), p.words) {
			seen++
			byKind[p.kind]++
		}
		if strings.Contains(within, p.words) {
			kept++
		}
	}
	return seen * 100 / facts, kept * 100 / facts, byKind
}

// reach returns a text with all that can be recalled by the ids in it.
func (b *retention) reach(text string, known map[string]bool) string {
	b.T.Helper()
	out := text
	for _, id := range window.Recallable(text) {
		if known[id] {
			continue
		}
		known[id] = true
		body, err := b.Conversations.OffloadBody(b.T.Context(), activitiestest.Key, id)
		require.NoError(b.T, err)
		out += b.reach(body, known)
	}
	return out
}
