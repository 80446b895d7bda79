package onebot_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/channeltest"
	"xbot/internal/channel/onebot"
	ob "xbot/internal/channel/onebot/onebottest"
)

func TestConformance(t *testing.T) {
	for name, o := range map[string]ob.Options{"arrays": {}, "strings with CQ codes": {Strings: true}} {
		t.Run(name, func(t *testing.T) {
			channeltest.Run(t, channeltest.Platform{
				Channel: onebot.Name,
				Start:   func(t testing.TB) channeltest.Emulator { return newNapCat(t, o) },
				Lacks: map[channeltest.Ability]string{
					channeltest.Threads: "QQ has none",
					channeltest.Editing: "QQ has none",
					channeltest.Acks:    "OneBot tells events once and asks for nothing",
					channeltest.Delay:   "QQ gives no figures",
				},
			})
		})
	}
}

// napcat drives the emulator as the suite wants it.
type napcat struct {
	*ob.Server
	kept *memory
}

func newNapCat(t testing.TB, o ob.Options) *napcat {
	o.Token = "secret"
	s, err := ob.New(o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	s.AddPerson(ann, "Ann")
	s.AddPerson(bob, "Bob")
	s.AddGroup(group, "Garden", map[string]string{ann: "Ann of the garden", bob: ""})
	return &napcat{Server: s, kept: newMemory()}
}

func (n *napcat) open(t testing.TB, token string, m channel.Memory) channel.Account {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	a, err := onebot.Driver().Open(channeltest.Account, forwardTo(n.Server, token), channel.Resources{HTTP: &http.Client{Transport: transport}, Memory: m})
	require.NoError(t, err)
	onebot.Hasty(a)
	return a
}

func (n *napcat) Open(t testing.TB) channel.Account      { return n.open(t, "secret", n.kept) }
func (n *napcat) OpenWrong(t testing.TB) channel.Account { return n.open(t, "guessed", newMemory()) }

var people = []string{ann, bob}

// named is a message's id as the adapter makes it.
func named(m ob.Message) string { return fmt.Sprintf("%s.%d.%d", m.Place, m.ID, m.At.Unix()) }

// numbered is NapCat's number of a message.
func numbered(id string) int32 {
	parts := strings.Split(id, ".")
	if len(parts) != 3 {
		return 0
	}
	v, err := strconv.ParseInt(parts[1], 10, 32)
	if err != nil {
		return 0
	}
	return int32(v)
}

func (n *napcat) Write(w channeltest.Written) string {
	place := ob.Person(people[w.Who])
	if w.Where != channeltest.Direct {
		place = ob.Group(group)
	}
	var parts []ob.Segment
	if w.Answers != "" {
		parts = append(parts, ob.Reply(numbered(w.Answers)))
	}
	if w.Mention {
		parts = append(parts, ob.At(bot), ob.Text(" "))
	}
	if w.Other {
		parts = append(parts, ob.At(people[1-w.Who]), ob.Text(" "))
	}
	if w.Text != "" {
		parts = append(parts, ob.Text(w.Text))
	}
	for _, f := range w.Files {
		kind := f.Kind
		if kind == "audio" {
			kind = "record"
		}
		parts = append(parts, n.File(kind, f.Name, f.Data))
	}
	id := n.Say(place, people[w.Who], parts...)
	return n.named(id)
}

func (n *napcat) named(id int32) string {
	for _, place := range []ob.Place{ob.Person(ann), ob.Person(bob), ob.Group(group)} {
		for _, m := range n.Messages(place) {
			if m.ID == id {
				return named(m)
			}
		}
	}
	return ""
}

func (n *napcat) Again(id string)   { n.Server.Again(numbered(id)) }
func (n *napcat) Recall(id string)  { n.Server.Recall(numbered(id)) }
func (n *napcat) Acked(string) bool { return false }
func (n *napcat) Emoji() string     { return "124" }

func (n *napcat) Reactions(id string) []string {
	for _, m := range n.Messages(ob.Group(group)) {
		if named(m) == id {
			return m.Reactions
		}
	}
	return nil
}

func (n *napcat) Typed(string) int { return n.Typing(ann) }

func (n *napcat) Garbage() {
	for _, frame := range strange {
		n.Raw(frame)
	}
	n.Raw(`{"post_type":"message","message":"` + strings.Repeat("x", 1<<20))
	n.RawBinary([]byte{0, 1, 2})
	n.Poke(ann)
}

func (n *napcat) Befall(t channeltest.Trouble) {
	kinds := map[channeltest.TroubleKind]ob.TroubleKind{
		channeltest.Limited: ob.Limited, channeltest.Refused: ob.Refused, channeltest.Down: ob.Down,
		channeltest.LostRequest: ob.LostRequest, channeltest.LostAnswer: ob.LostAnswer,
	}
	n.Server.Befall(ob.Trouble{Kind: kinds[t.Kind], Times: t.Times})
}

func (n *napcat) Shown(in channeltest.Where) []channeltest.Shown {
	place := ob.Person(ann)
	if in != channeltest.Direct {
		place = ob.Group(group)
	}
	var out []channeltest.Shown
	for _, m := range n.OfBot(place) {
		shown := channeltest.Shown{ID: named(m), Text: n.Read(m)}
		for _, part := range m.Segments {
			shown.Calls = shown.Calls || part.Type == "at" && fmt.Sprint(part.Data["qq"]) == "all"
			if part.Type == "reply" {
				v, err := strconv.ParseInt(fmt.Sprint(part.Data["id"]), 10, 32)
				if err == nil {
					shown.ReplyTo = n.named(int32(v))
				}
			}
		}
		for _, f := range n.Files(m) {
			shown.Files = append(shown.Files, channeltest.File{Kind: f.Kind, Name: f.Name, Data: f.Data})
		}
		out = append(out, shown)
	}
	return out
}
