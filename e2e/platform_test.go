package e2e

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/channel/qq/qqtest"
)

// platform is an emulated platform with the bot on it, as the people there use it. People and groups are numbered from 1.
type platform interface {
	name() string
	env() []string // what the server is told of it

	// say lets somebody write to the bot, in a group by mentioning it (group 0: directly), and returns the id of the message.
	say(group, who int, text string) string
	again(id string) // delivers a message once more
	deafen(deaf bool)
	disconnect()
	connected() bool

	// shown are the texts of the bot that people read in a group, or that somebody reads in their own chat, oldest first.
	shown(group, who int) []string
	befall(kind trouble) // the next message of the bot
	hinder(kind trouble) // each message of the bot from now on, until something else befalls it
	unanswered() int     // messages of the bot that were left without an answer
	broken() []string    // what the platform would not have understood
}

// trouble is what befalls the next message of the bot.
type trouble string

const (
	none       trouble = ""
	mute       trouble = "mute"        // accepted and shown, and no answer ever
	stuck      trouble = "stuck"       // not accepted, and no answer ever
	lostAnswer trouble = "lost answer" // accepted and shown, then the connection breaks
	slowAnswer trouble = "slow answer" // accepted and shown, and the answer comes slowness later
	limited    trouble = "limited"     // refused, since there were too many
)

// slowness is how late a slow answer is.
const slowness = 400 * time.Millisecond

// platforms are all, with so many people, who are members of so many groups.
func platforms(t *testing.T, people, groups int) []platform {
	t.Helper()
	return []platform{newFeishu(t, people, groups), newQQ(t), newNapCat(t, people, groups)}
}

// letAllIn is a policy by which everybody may write on these platforms, and each message is answered by a turn of its own.
const letAllIn = `{
	messages: {queue: {mode: "followup"}},
	channels: {
		feishu: {dmPolicy: "open", allowFrom: ["*"], groups: {"*": {}}, groupAllowFrom: ["*"]},
		qq: {dmPolicy: "open", allowFrom: ["*"], groups: {"*": {}}, groupAllowFrom: ["*"]},
		napcat: {dmPolicy: "open", allowFrom: ["*"], groups: {"*": {}}, groupAllowFrom: ["*"]},
	},
}`

// onFeishu is Feishu.
type onFeishu struct {
	*feishutest.Server

	people []feishutest.Person
	groups []string
}

func newFeishu(t *testing.T, people, groups int) *onFeishu {
	p, err := feishutest.New(feishutest.Config{})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	f := &onFeishu{Server: p}
	for n := range people {
		f.people = append(f.people, feishutest.Person{OpenID: fmt.Sprint("ou_", n+1), Name: fmt.Sprint("Person ", n+1)})
	}
	for n := range groups {
		f.groups = append(f.groups, p.Group(fmt.Sprint("Group ", n+1), f.people...))
	}
	return f
}

// carolAtFeishu is a server whose bot is connected to an emulated Feishu, and Carol there, whom it does not know yet.
func carolAtFeishu(t *testing.T) (p *feishutest.Server, carol feishutest.Person, s *server) {
	f := newFeishu(t, 0, 0)
	s = newServer(t, f.env()...)
	require.Eventually(t, func() bool { return f.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	return f.Server, feishutest.Person{OpenID: "ou_carol", Name: "Carol"}, s
}

func (f *onFeishu) name() string { return "feishu" }

func (f *onFeishu) env() []string {
	return []string{"FEISHU_APP_ID=" + f.AppID, "FEISHU_APP_SECRET=" + f.Secret, "FEISHU_DOMAIN=" + f.URL}
}

func (f *onFeishu) say(group, who int, text string) string {
	in := feishutest.Incoming{From: f.people[who-1], Text: text}
	if group > 0 {
		in.Chat, in.Text = f.groups[group-1], "@_user_1 "+text
		in.Mentions = []feishutest.Mention{{Key: "@_user_1", Person: feishutest.Bot()}}
	}
	return f.Write(in)
}

func (f *onFeishu) again(id string)  { f.Again(id) }
func (f *onFeishu) deafen(deaf bool) { f.Deafen(deaf) }
func (f *onFeishu) disconnect()      { f.Disconnect() }
func (f *onFeishu) connected() bool  { return f.Connected() > 0 }
func (f *onFeishu) unanswered() int  { return f.Unanswered() }
func (f *onFeishu) broken() []string { return f.Broken() }
func (f *onFeishu) befall(is trouble) {
	f.Befall(feishutest.Trouble{Kind: feishutest.TroubleKind(is), Times: times(is), After: time.Second})
}

func (f *onFeishu) hinder(is trouble) {
	f.Befall(feishutest.Trouble{Kind: feishutest.TroubleKind(is), Times: -1, For: slowness})
}

func (f *onFeishu) shown(group, who int) (texts []string) {
	chat := f.Direct(f.people[who-1])
	if group > 0 {
		chat = f.groups[group-1]
	}
	for _, m := range f.Shown(chat, "") {
		texts = append(texts, m.Text)
	}
	return texts
}

func times(is trouble) int {
	if is == none {
		return 0
	}
	return 1
}

// onQQ is QQ's official platform.
type onQQ struct{ *qqtest.Server }

func newQQ(t *testing.T) *onQQ {
	p, err := qqtest.New(qqtest.Config{})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return &onQQ{p}
}

func (q *onQQ) name() string { return "qq" }

func (q *onQQ) env() []string {
	s := q.Settings()
	return []string{"QQ_APP_ID=" + s["app_id"], "QQ_APP_SECRET=" + s["app_secret"], "QQ_API_URL=" + s["api_url"]}
}

func (q *onQQ) person(who int) qqtest.Person {
	return qqtest.Person{ID: fmt.Sprint("PERSON", who), Name: fmt.Sprint("Person ", who)}
}

func (q *onQQ) say(group, who int, text string) string {
	in := qqtest.Incoming{Scene: qqtest.Direct, From: q.person(who), Text: text}
	if group > 0 {
		in.Scene, in.Chat, in.Mention = qqtest.Group, fmt.Sprint("GROUP", group), true
	}
	return q.Write(in)
}

func (q *onQQ) again(id string)  { q.Again(id) }
func (q *onQQ) deafen(bool)      {} // nothing is acknowledged: the bot says where it ended when it comes again
func (q *onQQ) disconnect()      { q.Disconnect() }
func (q *onQQ) connected() bool  { return q.Connected() > 0 }
func (q *onQQ) unanswered() int  { return q.Unanswered() }
func (q *onQQ) broken() []string { return q.Broken() }
func (q *onQQ) befall(is trouble) {
	q.Befall(qqtest.Trouble{Kind: string(is), Times: times(is), After: time.Second})
}

func (q *onQQ) hinder(is trouble) {
	q.Befall(qqtest.Trouble{Kind: string(is), Times: -1, For: slowness})
}

func (q *onQQ) shown(group, who int) (texts []string) {
	scene, chat := qqtest.Direct, q.person(who).ID
	if group > 0 {
		scene, chat = qqtest.Group, fmt.Sprint("GROUP", group)
	}
	for _, m := range q.Messages(scene, chat) {
		texts = append(texts, m.Text)
	}
	return texts
}

// atNapCat is an ordinary QQ account behind NapCat.
type atNapCat struct {
	*onebottest.Server

	mu  sync.Mutex
	ids map[string]int32
}

func newNapCat(t *testing.T, people, groups int) *atNapCat {
	p, err := onebottest.New(onebottest.Options{Token: "napcat-secret"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	members := map[string]string{}
	for n := range people {
		members[number(n+1)] = fmt.Sprint("Person ", n+1)
		p.AddPerson(number(n+1), members[number(n+1)])
	}
	for n := range groups {
		p.AddGroup(number(n+1), fmt.Sprint("Group ", n+1), members)
	}
	return &atNapCat{Server: p, ids: map[string]int32{}}
}

// number is the QQ number of a person or a group.
func number(n int) string { return fmt.Sprint(20000 + n) }

func (n *atNapCat) name() string { return "napcat" }

func (n *atNapCat) env() []string {
	return []string{"NAPCAT_URL=" + n.URL(), "NAPCAT_TOKEN=napcat-secret", "NAPCAT_SEND_PAUSE=0s"}
}

func (n *atNapCat) say(group, who int, text string) string {
	place, parts := onebottest.Person(number(who)), []onebottest.Segment{onebottest.Text(text)}
	if group > 0 {
		place, parts = onebottest.Group(number(group)), append([]onebottest.Segment{onebottest.At(n.Self())}, parts...)
	}
	number := n.Say(place, number(who), parts...)
	n.mu.Lock()
	defer n.mu.Unlock()
	id := fmt.Sprint(number)
	n.ids[id] = number
	return id
}

func (n *atNapCat) again(id string) {
	n.mu.Lock()
	number := n.ids[id]
	n.mu.Unlock()
	n.Again(number)
}

func (n *atNapCat) deafen(bool)      {} // the protocol acknowledges nothing: the bot reads the history
func (n *atNapCat) disconnect()      { n.Disconnect() }
func (n *atNapCat) connected() bool  { return n.Connected() > 0 }
func (n *atNapCat) unanswered() int  { return n.Unanswered() }
func (n *atNapCat) broken() []string { return n.Broken() }

func (n *atNapCat) befall(is trouble) {
	n.Befall(onebottest.Trouble{Kind: onebottest.TroubleKind(is), Times: times(is)})
}

func (n *atNapCat) hinder(is trouble) {
	n.Befall(onebottest.Trouble{Kind: onebottest.TroubleKind(is), Times: -1, For: slowness})
}

func (n *atNapCat) shown(group, who int) (texts []string) {
	place := onebottest.Person(number(who))
	if group > 0 {
		place = onebottest.Group(number(group))
	}
	return seenAt(n.Server, place)
}
