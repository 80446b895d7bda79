package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/client/apiclient"
	"xbot/internal/llm/llmtest"
)

// dayPolicy has three bots: one that chats and works, one that works only, one that chats only. What the model reads of an agent or a
// scene has its name, which nothing else has.
const dayPolicy = `{
	agents: {list: [
		{id: "main", default: true, prompt: "PROMPT-main", personality: "MANNER-main"},
		{id: "ops", prompt: "PROMPT-ops", personality: "MANNER-ops", tools: {deny: ["Fetch"]}},
		{id: "pal", prompt: "PROMPT-pal", personality: "MANNER-pal"},
	]},
	bindings: [
		{agentId: "ops", match: {channel: "feishu", accountId: "ops"}},
		{agentId: "pal", match: {channel: "feishu", accountId: "pal"}},
	],
	channels: {feishu: {
		dmPolicy: "open", allowFrom: ["*"], groups: {"*": {}}, groupAllowFrom: ["*"], immediateFeedbackMode: "none", progress: "none",
		groupScenes: {
			chat: {enabled: true, think: "low", prompt: "PROMPT-main-chat", personality: "MANNER-main-chat", tools: {deny: ["Shell", "FileCreate"]}},
			work: {enabled: true, triggerTag: "#work", think: "high", createThread: true, prompt: "PROMPT-main-work", tools: {deny: ["todo_write"]}},
		},
		accounts: {
			ops: {groupScenes: {work: {enabled: true, triggerTag: "#work", think: "medium", createThread: true, prompt: "PROMPT-ops-work", tools: {deny: ["Grep"]}}, chat: {noReplyToken: "[[off]]"}}},
			pal: {groupScenes: {chat: {enabled: true, prompt: "PROMPT-pal-chat", tools: {allow: ["Read", "todo_write"]}}, work: {triggerTag: "#work"}}},
		},
	}},
}`

// dayScene is what the model must read in the conversations of a scene, and nothing else of the kind.
type dayScene struct {
	words  []string // of dayPolicy
	effort string   // reasoning_effort; empty: the model thinks as much as it does by itself
	has    []string // tools
	lacks  []string
}

var dayScenes = map[string]dayScene{
	"main direct": {words: []string{"PROMPT-main", "MANNER-main"}, has: []string{"Fetch", "todo_write"}},
	"main chat":   {words: []string{"PROMPT-main", "PROMPT-main-chat", "MANNER-main-chat"}, effort: "low", has: []string{"Fetch", "Grep", "todo_write"}, lacks: []string{"Shell", "FileCreate"}},
	"main work":   {words: []string{"PROMPT-main", "PROMPT-main-work", "MANNER-main"}, effort: "high", has: []string{"Shell", "Grep"}, lacks: []string{"todo_write"}},
	"ops direct":  {words: []string{"PROMPT-ops", "MANNER-ops"}, has: []string{"Grep", "todo_write"}, lacks: []string{"Fetch"}},
	"ops work":    {words: []string{"PROMPT-ops", "PROMPT-ops-work", "MANNER-ops"}, effort: "medium", has: []string{"Shell", "todo_write"}, lacks: []string{"Fetch", "Grep"}},
	"pal direct":  {words: []string{"PROMPT-pal", "MANNER-pal"}, has: []string{"Shell", "Fetch"}},
	"pal chat":    {words: []string{"PROMPT-pal", "PROMPT-pal-chat", "MANNER-pal"}, has: []string{"Read", "todo_write"}, lacks: []string{"Shell", "Fetch", "Grep"}},
}

// day is three bots and two people in one group of Feishu. Each bot is an app, and so a server of its own; the group has the same id under all.
type day struct {
	*server
	bots    map[string]*feishutest.Server
	group   string
	threads map[string]dayThread // by the place that works in it
	said    []daySaid
}

// dayThread is where a work session goes on: the thread of a bot, and its first message as each bot got it.
type dayThread struct {
	bot, id string
	roots   map[string]string
	begun   int // its first message, in what was said
}

// daySaid is a message, and where it has to be read and answered. What begins a thread is said before the whole group: bots that chat there
// overhear it, and where they read the thread it is quoted.
type daySaid struct {
	mark   string
	places []string
	heard  []string
}

// belongs reports whether a message may be read in a place.
func (m daySaid) belongs(place string) bool {
	return slices.Contains(m.places, place) || slices.Contains(m.heard, place)
}

var dayBots = []string{"main", "ops", "pal"}

// person is somebody, under whose id each app knows them.
func (d *day) person(bot, who string) feishutest.Person {
	return feishutest.Person{OpenID: "ou_" + bot + "_" + who, Name: who, UnionID: "on_" + who}
}

func newDay(t *testing.T) *day {
	d := &day{bots: map[string]*feishutest.Server{}, threads: map[string]dayThread{}}
	for _, bot := range dayBots {
		p, err := feishutest.New(feishutest.Config{IDs: bot})
		require.NoError(t, err)
		t.Cleanup(p.Close)
		d.bots[bot] = p
		group := p.Group("The Team", d.person(bot, "Ann"), d.person(bot, "Bob"))
		require.True(t, d.group == "" || d.group == group, "one group under three apps")
		d.group = group
	}
	first := d.bots["main"]
	d.server = newServer(t, "FEISHU_APP_ID="+first.AppID, "FEISHU_APP_SECRET="+first.Secret, "FEISHU_DOMAIN="+first.URL)
	d.inForce(dayPolicy)
	for _, bot := range dayBots[1:] {
		_, err := d.client.SetChannel(t.Context(), "feishu", apiclient.SetChannelParams{Account: bot}, apiclient.ChannelChange{Enabled: true, Settings: d.bots[bot].Settings()})
		require.NoError(t, err)
	}
	d.connected()
	return d
}

func (d *day) connected() {
	d.t.Helper()
	require.Eventually(d.t, func() bool {
		for _, bot := range dayBots {
			if d.bots[bot].Connected() == 0 {
				return false
			}
		}
		return true
	}, time.Minute, 20*time.Millisecond)
}

// hour is one of the day's: what is said in it, and read before the next one begins.
type hour []func(mark string)

// note remembers where a message belongs.
func (d *day) note(mark string, places ...string) {
	d.said = append(d.said, daySaid{mark: mark, places: places})
}

// overhear notes where else the newest message may be kept.
func (d *day) overhear(place string) {
	newest := &d.said[len(d.said)-1]
	newest.heard = append(newest.heard, place)
}

// direct lets somebody write to a bot alone.
func (d *day) direct(who, bot string) func(string) {
	return func(mark string) {
		d.note(mark, bot+" direct "+who)
		d.bots[bot].Write(feishutest.Incoming{From: d.person(bot, who), Text: "say " + mark})
	}
}

// inGroup lets somebody write in the group, to a bot or, without a name, to all. Every bot gets it.
func (d *day) inGroup(who, to, text string, thread dayThread) (messages map[string]string) {
	messages = map[string]string{}
	for _, bot := range dayBots {
		in := feishutest.Incoming{From: d.person(bot, who), Chat: d.group, Text: text, Thread: thread.id, Parent: thread.roots[bot]}
		if to != "" {
			named := feishutest.Bot()
			if to != bot {
				named = feishutest.Person{OpenID: "ou_bot_" + to, Name: to}
			}
			in.Text, in.Mentions = "@_user_1\n"+text, []feishutest.Mention{{Key: "@_user_1", Person: named}}
		}
		messages[bot] = d.bots[bot].Write(in)
	}
	return messages
}

// chats lets somebody write to the group; both bots that chat read it, whoever is named.
func (d *day) chats(who, to string) func(string) {
	return func(mark string) {
		d.note(mark, "main chat", "pal chat")
		d.overhear("ops group")
		d.inGroup(who, to, "say "+mark, dayThread{})
	}
}

// begins lets somebody begin work of a bot, in a thread.
func (d *day) begins(who, bot, name string) func(string) {
	return func(mark string) {
		place := bot + " work " + name
		d.note(mark, place)
		for _, other := range d.chattingBeside(bot) {
			d.overhear(other + " chat")
		}
		d.overhear("ops group")
		d.threads[place] = dayThread{bot: bot, begun: len(d.said) - 1, roots: d.inGroup(who, bot, "#work say "+mark, dayThread{})}
	}
}

// goesOn lets somebody write to a bot in the thread of its work. A bot that chats in the group hears it in a conversation of that thread.
func (d *day) goesOn(who, place string) func(string) {
	return func(mark string) {
		thread := d.threads[place]
		thread.id = d.bots[thread.bot].ThreadOf(thread.roots[thread.bot])
		require.NotEmpty(d.t, thread.id, "%s has a thread", place)
		places := []string{place}
		for _, other := range d.chattingBeside(thread.bot) {
			places = append(places, other+" chat beside "+place)
		}
		quiet := "ops group beside " + place
		d.said[thread.begun].heard = append(append(d.said[thread.begun].heard, places[1:]...), quiet)
		d.note(mark, places...)
		d.overhear(quiet)
		d.inGroup(who, thread.bot, "say "+mark, thread)
	}
}

// chattingBeside are the other bots that chat in the group.
func (d *day) chattingBeside(bot string) []string {
	return slices.DeleteFunc([]string{"main", "pal"}, func(b string) bool { return b == bot })
}

// ofScene is the scene of a place.
func ofScene(place string) string { return strings.Join(strings.Fields(place)[:2], " ") }

// pass lets an hour pass: everything is said at once, and the next hour begins when everything is answered.
func (d *day) pass(n int, h hour, meanwhile func()) {
	d.t.Helper()
	from := len(d.said)
	for i, say := range h {
		say(fmt.Sprintf("mark-%02d-%d-end", n, i))
	}
	if meanwhile != nil {
		meanwhile()
	}
	for _, m := range d.said[from:] {
		require.Eventually(d.t, func() bool { return len(d.sessionsOf(m.mark)) >= len(m.places) && d.waiting() == 0 }, crashLimit, 50*time.Millisecond, "%s is answered in %v, and not in %v", m.mark, m.places, d.sessionsOf(m.mark))
	}
}

// sessionsOf are the sessions in which a mark was answered.
func (d *day) sessionsOf(mark string) (keys []string) {
	rows, err := d.database().Query(d.t.Context(), `SELECT DISTINCT session_key FROM messages WHERE role = 'assistant' AND content = $1`, mark)
	if err != nil {
		return nil // the server is being killed
	}
	keys, _ = pgx.CollectRows(rows, pgx.RowTo[string]) // likewise
	return keys
}

// waiting counts what is not delivered.
func (d *day) waiting() (n int) {
	if d.database().QueryRow(d.t.Context(), `SELECT count(*) FROM outbound WHERE state = 'waiting'`).Scan(&n) != nil {
		return -1
	}
	return n
}

func TestScenes_ADayOfThreeBotsAndTwoPeopleInOneGroup(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	hours := []hour{
		{d.direct("Ann", "main"), d.direct("Bob", "main"), d.chats("Ann", "")},
		{d.direct("Ann", "ops"), d.direct("Bob", "pal"), d.chats("Bob", "main")},
		{d.begins("Ann", "main", "one"), d.chats("Bob", ""), d.direct("Ann", "pal")},
		{d.begins("Bob", "ops", "two"), d.goesOn("Bob", "main work one"), d.direct("Bob", "ops")},
		{d.begins("Bob", "main", "three"), d.goesOn("Ann", "ops work two"), d.chats("Ann", "pal"), d.direct("Ann", "main")},
		{d.goesOn("Ann", "main work three"), d.goesOn("Ann", "main work one"), d.chats("Bob", "ops"), d.direct("Bob", "main")}, // the server is killed in it
		{d.goesOn("Bob", "main work one"), d.goesOn("Bob", "ops work two"), d.goesOn("Bob", "main work three"), d.chats("Ann", "")},
		{d.direct("Ann", "main"), d.direct("Ann", "ops"), d.direct("Ann", "pal"), d.direct("Bob", "main"), d.direct("Bob", "ops"), d.direct("Bob", "pal")},
		{d.begins("Ann", "ops", "four"), d.chats("Ann", ""), d.chats("Bob", "")},
		{d.goesOn("Bob", "ops work four"), d.goesOn("Ann", "ops work two"), d.goesOn("Ann", "main work three")},
	}
	for n, h := range hours {
		var kill func()
		if n == 5 {
			kill = func() { d.crash(); d.db.Close(); d.db = nil; d.boot(); d.connected() }
		}
		d.pass(n, h, kill)
	}
	places := d.placesOfSessions()
	d.requireSessions(places)
	d.requireRows(places)
	d.requireDelivered()
	for _, r := range d.model.Requests() {
		d.requireRequest(r)
	}
	for _, bot := range dayBots {
		require.Empty(t, d.bots[bot].Broken(), "the protocol was kept")
	}
}

// placesOfSessions finds the session of each place: the one that has answered what was said there. No two places share one.
func (d *day) placesOfSessions() map[string]string {
	d.t.Helper()
	at := map[string]string{} // place by session
	of := map[string][]string{}
	for _, m := range d.said {
		keys := d.sessionsOf(m.mark)
		require.Len(d.t, keys, len(m.places), "%s belongs to %v and was answered in %v", m.mark, m.places, keys)
		for _, place := range m.places {
			if of[place] == nil {
				of[place] = keys
			}
			of[place] = slices.DeleteFunc(slices.Clone(of[place]), func(k string) bool { return !slices.Contains(keys, k) })
		}
	}
	for _, place := range of {
		require.NotEmpty(d.t, place, "what was said in one place is in one session: %v", of)
	}
	for place, keys := range of {
		bot := strings.Fields(place)[0]
		keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !strings.HasPrefix(k, "agent:"+bot+":") })
		require.Len(d.t, keys, 1, place)
		require.Empty(d.t, at[keys[0]], "%s has a session of its own", place)
		at[keys[0]] = place
	}
	quiet := "agent:ops:feishu:ops:group:" + d.group // where the bot that does not chat there keeps what it hears
	at[quiet] = "ops group"
	for place, thread := range d.threads {
		if thread.bot != "ops" {
			at[quiet+":thread:"+d.bots[thread.bot].ThreadOf(thread.roots[thread.bot])] = "ops group beside " + place
		}
	}
	return at
}

// requireRows reads the rows of every session: what people wrote, what was answered and what was overheard there belongs there.
func (d *day) requireRows(at map[string]string) {
	d.t.Helper()
	for _, table := range []struct{ name, query string }{
		{"inbox", `SELECT session_key, body FROM inbox WHERE kind = 'message'`},
		{"messages", `SELECT session_key, content || preface FROM messages`},
		{"turns", `SELECT t.session_key, i.body FROM turns t JOIN inbox i ON i.turn_id = t.id`},
		{"overheard", `SELECT session_key, body FROM overheard`},
	} {
		rows, err := d.database().Query(d.t.Context(), table.query)
		require.NoError(d.t, err)
		read := 0
		var key, text string
		_, err = pgx.ForEachRow(rows, []any{&key, &text}, func() error {
			for _, m := range d.said {
				if !strings.Contains(text, m.mark) {
					continue
				}
				read++
				require.NotEmpty(d.t, at[key], "%s: %s stands in %s, where nobody is", table.name, m.mark, key)
				require.True(d.t, m.belongs(at[key]), "%s: %s of %v stands in %s, which is %s", table.name, m.mark, m.places, key, at[key])
			}
			return nil
		})
		require.NoError(d.t, err)
		require.True(d.t, read > 0 || table.name == "overheard", table.name)
	}
}

// requireSessions looks for conversations that are of no place.
func (d *day) requireSessions(at map[string]string) {
	d.t.Helper()
	rows, err := d.database().Query(d.t.Context(), `SELECT key FROM sessions WHERE channel = 'feishu'`)
	require.NoError(d.t, err)
	sessions, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(d.t, err)
	require.ElementsMatch(d.t, slices.Collect(maps.Keys(at)), sessions)
}

// requireDelivered looks at what people see: every answer once, under the bot and in the chat and thread of its place.
func (d *day) requireDelivered() {
	d.t.Helper()
	for _, m := range d.said {
		var seen []string
		for _, bot := range dayBots {
			p := d.bots[bot]
			look := func(place, chat, thread string) {
				for _, shown := range p.Shown(chat, thread) {
					if strings.Contains(shown.Text, m.mark) {
						seen = append(seen, place)
					}
				}
			}
			look(bot+" chat", d.group, "")
			for _, who := range []string{"Ann", "Bob"} {
				look(bot+" direct "+who, p.Direct(d.person(bot, who)), "")
			}
			for place, thread := range d.threads {
				name := place
				if thread.bot != bot {
					name = bot + " chat beside " + place
				}
				look(name, d.group, d.bots[thread.bot].ThreadOf(thread.roots[thread.bot]))
			}
		}
		require.ElementsMatch(d.t, m.places, seen, m.mark)
	}
}

// requireRequest looks at what the model was sent: what was said in one place alone, with what its scene has, and nothing of another.
func (d *day) requireRequest(r llmtest.Request) {
	d.t.Helper()
	var fit []string // the places to which all belongs that it was sent
	for _, m := range d.said {
		if !strings.Contains(string(r.Raw), m.mark) {
			continue
		}
		if fit == nil {
			fit = slices.Concat(m.places, m.heard)
		}
		fit = slices.DeleteFunc(slices.Clone(fit), func(p string) bool { return !m.belongs(p) })
		require.NotEmpty(d.t, fit, "request %d holds %s with what was said elsewhere", r.N, m.mark)
	}
	require.NotEmpty(d.t, fit, "request %d is of no place: %s", r.N, r.User)
	fit = slices.DeleteFunc(fit, func(p string) bool { return !strings.Contains(r.System, "PROMPT-"+strings.Fields(p)[0]) })
	require.NotEmpty(d.t, fit, "request %d has the prompt of another agent", r.N)
	scene := dayScenes[ofScene(fit[0])]
	for name, other := range dayScenes {
		for _, word := range other.words {
			has := slices.ContainsFunc(strings.FieldsFunc(r.System, func(c rune) bool { return c == '\n' || c == ' ' }), func(w string) bool { return w == word })
			require.Equal(d.t, slices.Contains(scene.words, word), has, "request %d of %v, %s of %s", r.N, fit, word, name)
		}
	}
	effort := ""
	if _, after, ok := strings.Cut(string(r.Raw), `"reasoning_effort":"`); ok {
		effort, _, _ = strings.Cut(after, `"`)
	}
	require.Equal(d.t, scene.effort, effort, "request %d of %v", r.N, fit)
	for _, tool := range scene.has {
		require.True(d.t, offered(r, tool), "request %d of %v has %s", r.N, fit, tool)
	}
	for _, tool := range scene.lacks {
		require.False(d.t, offered(r, tool), "request %d of %v has not %s", r.N, fit, tool)
	}
}

// offered reports whether a request offers a tool.
func offered(r llmtest.Request, name string) bool {
	return slices.ContainsFunc(r.Tools, func(t llmtest.Tool) bool { return t.Name == name })
}
