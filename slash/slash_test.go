package slash_test

import (
	"context"
	"path"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/ingress/runners/manage"
	"xbot/ingress/temporalui"
	"xbot/ingress/wake"
	"xbot/internal/chat"
	"xbot/internal/extension/mcp/project"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/choice"
	"xbot/internal/llm/demo"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/usage"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/store"
	"xbot/internal/turn/contextview"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/slash"
	"xbot/slash/account"
	"xbot/slash/admin"
	slashcontext "xbot/slash/context"
	"xbot/slash/conversation"
	"xbot/slash/folder"
	"xbot/slash/queue"
)

// box is a machine with a few files.
type box struct {
	sandbox.Sandbox
	folders map[string][]sandbox.FileInfo
	err     error
}

func (b *box) Name() string      { return "laptop" }
func (b *box) Workspace() string { return "/srv" }

func (b *box) Stat(_ context.Context, name string) (sandbox.FileInfo, error) {
	if b.err != nil {
		return sandbox.FileInfo{}, b.err
	}
	if _, ok := b.folders[path.Join("/srv", name)]; ok || b.folders[name] != nil {
		return sandbox.FileInfo{Path: name, Dir: true}, nil
	}
	return sandbox.FileInfo{}, fault.Errorf(fault.NotFound, "there is no %s", name)
}

func (b *box) ReadDir(_ context.Context, name string) ([]sandbox.FileInfo, error) {
	entries, ok := b.folders[name]
	if !ok {
		return nil, fault.Errorf(fault.Denied, "%s is outside the workspace", name)
	}
	return entries, b.err
}

func (b *box) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) { return b, nil }

// tell sends a command in the session and returns its answer.
func (b *bundle) tell(id, text string) string {
	b.T.Helper()
	_, err := b.Dispatch.Message(b.T.Context(), b.Inbound(ingresstest.Key, id, text))
	require.NoError(b.T, err)
	messages := b.Transcript(ingresstest.Key).Messages
	i := slices.IndexFunc(messages, func(m chat.Message) bool { return m.ClientMessageID == id })
	require.GreaterOrEqual(b.T, i, 0)
	require.Less(b.T, i+1, len(messages))
	return messages[i+1].Content
}

// runs know where runs are shown.
type runs struct{ *store.Store }

func (r runs) RunURL(ctx context.Context, key chat.SessionKey, run string) (string, error) {
	workflow, _, err := wake.WorkflowOf(ctx, r.Store.Agents, key)
	return "https://x.example" + temporalui.RunPath("ns", workflow, run), err
}

// noAgreements are folders without hooks, MCP servers and skills.
type noAgreements struct{ folder.Agreements }

func (noAgreements) At(context.Context, chat.UserID, sandbox.Sandbox, string) (project.Seen, bool, error) {
	return project.Seen{}, false, nil
}

// everything makes the dispatcher know all commands that answer at once.
func (b *bundle) everything(machine *box) {
	live := &policy.Live{Services: b.Store.Services, Settings: b.Store.Settings}
	models := &catalogue.Live{Server: demo.Client{}, Limits: limits.Table{Model: "demo/demo"}, Policies: live}
	contexts := &contextview.Viewer{Conversations: b.Store.Conversations, Usage: b.Store.Usage, Answering: &choice.Choice{Server: demo.Client{}, Store: b.Store.Settings, Models: models}}
	runners := &manage.Runners{Settings: b.Store.Settings, Runners: b.Store.Runners, Usual: choice.Usual{Models: models, Settings: b.Store.Settings}, Resolver: resolver.New(resolver.Config{Choices: b.Store.Runners})}
	b.Dispatch.Commands = ingresstest.Commands(b.Store,
		account.Status{
			CodingAgents: b.Store.CodingAgents, Conversations: b.Store.Conversations, Turns: b.Store.Turns, Users: b.Store.Users, Contexts: contexts, Policies: live, Runners: runners, Runs: runs{b.Store}, Version: "1.2.3", Started: time.Now().Add(-time.Hour),
		},
		account.Whoami{Conversations: b.Store.Conversations, Turns: b.Store.Turns, Users: b.Store.Users}, admin.Version{Version: "1.2.3"},
		folder.Pwd{Sessions: b.Store.Conversations, Boxes: machine, Agreements: noAgreements{}}, folder.Ls{Sessions: b.Store.Conversations, Boxes: machine}, folder.Cd{},
		slashcontext.Context{Viewer: contexts, Store: b.Store.Conversations}, slashcontext.Usage{Usage: b.Store.Usage, Media: b.Store.Media, Users: b.Store.Users, Prices: usage.Prices{}},
		conversation.Export{Base: "https://x.example/"}, admin.Config{Documents: b.Store.Settings},
		admin.Debug{Inspection: b.Store.Inspection, Turns: b.Store.Turns, Pool: b.Pool, Metrics: prometheus.NewRegistry()}, queue.Queue{Conversations: b.Store.Conversations, Turns: b.Store.Turns, Policies: live},
	)
}

func workplace() *box {
	return &box{folders: map[string][]sandbox.FileInfo{
		"/srv":     {{Path: "/srv/notes.md", Size: 1200}, {Path: "/srv/src", Dir: true}, {Path: "/srv/l", Link: "src"}},
		"/srv/src": {},
	}}
}

func TestStatus_SaysWhatRunsAndShowsAdministratorsTheRun(t *testing.T) {
	b := setup(t)
	b.everything(workplace())
	idle := b.tell("s1", "/status")
	for _, part := range []string{"model: `demo/demo`", "queue: `steer`, 0 of 32 waiting", "running: nothing", "session: `" + string(ingresstest.Key) + "`, agent `main`", "xbot 1.2.3, up for 1h0m"} {
		require.Contains(t, idle, part)
	}
	require.Contains(t, idle, "\n* channel: `web`\n")
	_, err := b.Pool.Exec(t.Context(), `UPDATE sessions SET channel = 'feishu', chat_type = 'group', origin = '{"label": "Plumbers"}' WHERE key = $1`, ingresstest.Key)
	require.NoError(t, err)
	require.Contains(t, b.tell("s1b", "/status"), "\n* channel: `feishu`, `Plumbers`\n")
	_, err = b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "m1", "hello"))
	require.NoError(t, err)
	_, _, err = b.Turns.Claim(t.Context(), ingresstest.Key, "t1", "r1", 0)
	require.NoError(t, err)
	busy := b.tell("s2", "/status")
	require.Contains(t, busy, "running: step 1, for ")
	require.Contains(t, busy, "(https://x.example/temporal/namespaces/ns/workflows/turn%2F"+string(ingresstest.Key)+"/r1/history)")

	bob := b.Visitor("direct")
	in := b.Inbound(ingresstest.Key, "s3", "/status")
	in.User = bob.ID
	_, err = b.Dispatch.Message(t.Context(), in)
	require.NoError(t, err)
	require.Contains(t, b.LastAnswer(ingresstest.Key), "running: step 1")
	require.NotContains(t, b.LastAnswer(ingresstest.Key), "temporal")
	b.Woken.Wait()
}

func TestWhoami_NamesThePersonTheirRoleAndWhereElseTheyAre(t *testing.T) {
	b := setup(t)
	b.everything(workplace())
	require.Equal(t, "You are `alice`, an administrator. You write on `web`. This conversation is yours.", b.tell("w1", "/whoami"))
	_, err := b.Pool.Exec(t.Context(), `INSERT INTO identities (channel, account, peer, user_id) VALUES ('feishu', '', 'ou_1', $1)`, b.User.ID)
	require.NoError(t, err)
	require.Contains(t, b.tell("w2", "/whoami"), "You are known as `feishu:ou_1`.")
	require.Equal(t, "xbot 1.2.3", b.tell("w3", "/version"))
}

func TestFolders_AreShownAsTheRunnerAllows(t *testing.T) {
	b := setup(t)
	machine := workplace()
	b.everything(machine)
	require.Equal(t, "`/srv` · `laptop`", b.tell("1", "/pwd"))
	require.Equal(t, "`/srv`\n\n```text\nsrc/\nnotes.md  1.2 kB\nl -> src\n```", b.tell("2", "/ls"))
	require.Equal(t, "`/srv/src` is empty.", b.tell("3", "/ls 'src'"))
	require.Equal(t, "/etc is outside the workspace", b.tell("4", "/ls /etc"))
	require.NoError(t, b.Conversations.SetCwd(t.Context(), ingresstest.Key, "laptop", "/srv/src"))
	require.Equal(t, "`/srv/src` · `laptop`", b.tell("5", "/pwd"))
	require.Contains(t, b.tell("6", "/ls .."), "notes.md")
	machine.err = fault.Errorf(fault.Unavailable, "%w", &sandbox.OfflineError{Runner: "laptop"})
	require.Contains(t, b.tell("7", "/ls"), "laptop", "a runner that is away is an answer")
}

func TestExport_LinksToTheConversation(t *testing.T) {
	b := setup(t)
	b.everything(workplace())
	require.Contains(t, b.tell("1", "/export"), "(https://x.example/api/sessions/agent:main:web:thread:t/export?format=jsonl)")
	require.Contains(t, b.tell("2", "/export MD"), "format=md")
	require.Equal(t, i18n.Say(i18n.English, i18n.ExportAs), b.tell("3", "/export pdf"))
}

func TestConfig_ChangesOnePlaceOfACheckedDocument(t *testing.T) {
	b := setup(t)
	b.everything(workplace())
	require.Equal(t, i18n.Say(i18n.English, i18n.ConfigUnset, "session.reset"), b.tell("1", "/config get session.reset"))
	require.Equal(t, i18n.Say(i18n.English, i18n.ConfigSet, 1), b.tell("2", `/config set session.reset {"mode":"idle","idleMinutes":30}`))
	require.Equal(t, "```json\n30\n```", b.tell("3", "/config get session.reset.idleMinutes"))
	require.Equal(t, i18n.Say(i18n.English, i18n.ConfigSame), b.tell("4", "/config set session.reset.idleMinutes 30"))
	require.Contains(t, b.tell("5", "/config set session.rset idle"), "rset", "the nearest name is told")
	require.Equal(t, i18n.Say(i18n.English, i18n.ConfigSet, 2), b.tell("6", "/config unset session.reset"))
	require.Equal(t, i18n.Say(i18n.English, i18n.ConfigUsage), b.tell("7", "/config set session"))
	var by []chat.UserID
	rows, err := b.Pool.Query(t.Context(), `SELECT changed_by FROM policies ORDER BY id`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var user chat.UserID
		require.NoError(t, rows.Scan(&user))
		by = append(by, user)
	}
	require.Equal(t, []chat.UserID{b.User.ID, b.User.ID}, by)

	bob := b.Visitor("direct")
	in := b.Inbound(ingresstest.Key, "8", "/config get")
	in.User = bob.ID
	_, err = b.Dispatch.Message(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, i18n.Say(i18n.English, i18n.CommandAdmins, "config"), b.LastAnswer(ingresstest.Key))
}

func TestConfig_RefusesInTheLanguageOfWhoReadsIt(t *testing.T) {
	b := setup(t)
	b.everything(workplace())
	run := admin.Config{Documents: b.Store.Settings}.Run
	in := slash.Request{Session: ingresstest.Key, User: b.User.ID, Lang: i18n.Chinese}
	require.Equal(b.T, i18n.Say(i18n.English, i18n.ConfigSet, 1), b.tell("0", "/config set session.scope global"))
	for args, want := range map[string]string{
		"set session":           "用法",
		"set session.rset idle": "未作任何修改，因为修改后的文档有误：\n\n* session.rset: ",
		"unset session.reset":   "没有设置",
		"set session.scope.x 1": "那里是单个值",
	} {
		_, err := run(t.Context(), in, args)
		require.Error(t, err, args)
		require.Contains(t, i18n.Explain(i18n.Chinese, err), want, args)
	}
}

func TestDebug_ShowsWhatRunsAndNoWordsOfPeople(t *testing.T) {
	b := setup(t)
	b.everything(workplace())
	_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "m1", "my secret plan"))
	require.NoError(t, err)
	_, _, err = b.Turns.Claim(t.Context(), ingresstest.Key, "t1", "r1", 0)
	require.NoError(t, err)
	said := b.tell("1", "/debug")
	require.Contains(t, said, "goroutines")
	require.Contains(t, said, "1 running")
	require.Contains(t, said, string(ingresstest.Key)+"  t1")
	require.NotContains(t, said, "secret plan")
	b.Woken.Wait()
}

func TestCommands_ThatReadAnswerWhileATurnHangsAndOnceAMessage(t *testing.T) {
	b := setup(t)
	b.everything(workplace())
	_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "m1", "hello"))
	require.NoError(t, err)
	_, claimed, err := b.Turns.Claim(t.Context(), ingresstest.Key, "t1", "r1", 0) // and nothing ever ends it
	require.NoError(t, err)
	require.True(t, claimed)
	n := 0
	for _, known := range b.Dispatch.Commands.List() {
		if _, atOnce := known.(slash.Runner); !atOnce {
			continue
		}
		n++
		id := "at once " + known.Spec().Name
		require.NotEmpty(t, b.tell(id, "/"+known.Spec().Name), known.Spec().Name)
		before := len(b.Transcript(ingresstest.Key).Messages)
		got, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, id, "/"+known.Spec().Name))
		require.NoError(t, err)
		require.True(t, got.Duplicate)
		require.Len(t, b.Transcript(ingresstest.Key).Messages, before, "%s is not answered again", known.Spec().Name)
	}
	require.Greater(t, n, 10)
	s, _, err := b.Conversations.Session(t.Context(), ingresstest.Key)
	require.NoError(t, err)
	require.Equal(t, chat.TurnID("t1"), s.Running)
	b.Woken.Wait()
}
