package api_test

import (
	"context"
	"crypto/sha256"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/secret"
	"xbot/internal/turn/conversation"
	"xbot/internal/user/users"
	"xbot/runner/socket"
	"xbot/runner/wire"
)

// containers stands in for the server's container engine.
type containers struct{ on atomic.Bool }

func (c *containers) Enabled() bool                           { return c.on.Load() }
func (c *containers) Want(context.Context, chat.UserID) error { return nil }

func (p *person) runners() chat.Runners {
	p.t.Helper()
	var all chat.Runners
	p.get("/api/runners").is(http.StatusOK, &all)
	return all
}

func (p *person) makes(name string) chat.NewRunner {
	p.t.Helper()
	var made chat.NewRunner
	p.post("/api/runners", map[string]any{"name": name}).is(http.StatusCreated, &made)
	return made
}

func runnerNames(all chat.Runners) (out []string) {
	for _, r := range all.Runners {
		out = append(out, r.Name)
	}
	return out
}

// connect registers as a runner over a real socket, and returns what the server said.
func (b *bundle) connect(token string, info wire.Info) (*socket.Socket, wire.Frame) {
	b.t.Helper()
	sock, err := socket.Dial(b.t.Context(), "ws"+strings.TrimPrefix(b.url, "http")+"/api/runners/connect")
	require.NoError(b.t, err)
	b.t.Cleanup(func() { sock.Close(socket.CodeGoingAway, "the test is over") })
	info.Store, info.Version = "store", "1.2.3"
	if info.Workspace == "" {
		info.Workspace = "/home/someone"
	}
	hello, err := wire.NewFrame(0, wire.TypeRegister, wire.Register{Protocol: wire.Version, Token: token, Info: info})
	require.NoError(b.t, err)
	require.NoError(b.t, sock.Send(hello))
	answer, err := sock.Receive()
	require.NoError(b.t, err)
	return sock, answer
}

func TestRunners_AreMadeConnectedAndShown(t *testing.T) {
	b := setup(t)
	require.Empty(t, b.bob.runners().Runners)
	made := b.bob.makes("laptop")
	require.Len(t, made.Token, 43, "256 random bits")
	require.Equal(t, "xbot-runner --server "+"ws"+strings.TrimPrefix(b.url, "http")+
		"/api/runners/connect --token-file laptop.token --name laptop", made.Command)
	require.NotContains(t, made.Command, made.Token)
	require.True(t, made.Runner.Revocable)
	require.False(t, made.Runner.Online)

	_, welcome := b.connect(made.Token, wire.Info{OS: "linux", Confinement: "Landlock", LLM: &wire.LLM{Provider: "openai", Model: "m"}})
	require.Equal(t, wire.TypeRegistered, welcome.Type)
	all := b.bob.runners()
	require.Equal(t, []string{"laptop"}, runnerNames(all))
	laptop := all.Runners[0]
	require.True(t, laptop.Online)
	require.NotNil(t, laptop.SeenAt)
	require.Equal(t, "native", laptop.Kind)
	require.Equal(t, "Landlock", laptop.Confinement)
	require.Equal(t, &chat.RunnerModel{Provider: "openai", Model: "m"}, laptop.LLM)
	require.Empty(t, b.alice.runners().Runners, "another's")
}

func TestRunners_ATokenNeverRegistersAsAnother(t *testing.T) {
	b := setup(t)
	b.alice.makes("laptop")
	bobs := b.bob.makes("laptop")
	b.bob.makes("desk")
	_, refusal := b.connect(bobs.Token, wire.Info{Name: "desk"})
	require.Equal(t, wire.TypeError, refusal.Type, "not even as another of its owner")
	_, welcome := b.connect(bobs.Token, wire.Info{})
	require.Equal(t, wire.TypeRegistered, welcome.Type)
	require.True(t, b.bob.runners().Runners[1].Online)
	require.False(t, b.alice.runners().Runners[0].Online)

	// A row that no way of ours makes: a member's token for the server's own host.
	_, err := b.store.Runners.EnsureRunner(t.Context(), b.bob.user.ID, "local", hash("host"))
	require.NoError(t, err)
	_, refusal = b.connect("host", wire.Info{})
	require.Equal(t, wire.TypeError, refusal.Type)
	require.Contains(t, string(refusal.Body), "does not belong to an administrator")
}

func TestRunners_ARevokedOneIsGoneAtOnce(t *testing.T) {
	b := setup(t)
	made := b.bob.makes("laptop")
	sock, _ := b.connect(made.Token, wire.Info{})
	require.Eventually(t, func() bool { return len(b.hub.Online()) == 1 }, limit, tick)
	b.bob.delete("/api/runners/laptop").is(http.StatusNoContent, nil)
	_, err := sock.Receive()
	require.ErrorContains(t, err, "revoked")
	_, refusal := b.connect(made.Token, wire.Info{})
	require.Equal(t, wire.TypeError, refusal.Type)
	require.Empty(t, b.bob.runners().Runners)
	b.bob.delete("/api/runners/laptop").problem(http.StatusNotFound)
}

func TestRunners_ANewTokenEndsTheOldOneAtOnce(t *testing.T) {
	b := setup(t)
	made := b.bob.makes("laptop")
	sock, _ := b.connect(made.Token, wire.Info{})
	require.Eventually(t, func() bool { return len(b.hub.Online()) == 1 }, limit, tick)
	var renewed chat.NewRunner
	b.bob.post("/api/runners/laptop/token", nil).is(http.StatusOK, &renewed)
	require.NotEqual(t, made.Token, renewed.Token)
	_, err := sock.Receive()
	require.Error(t, err)
	_, refusal := b.connect(made.Token, wire.Info{})
	require.Equal(t, wire.TypeError, refusal.Type)
	_, welcome := b.connect(renewed.Token, wire.Info{})
	require.Equal(t, wire.TypeRegistered, welcome.Type)
}

func TestRunners_WhatIsChosenIsWhereCommandsGo(t *testing.T) {
	b := setup(t)
	_, err := b.store.Runners.EnsureRunner(t.Context(), b.alice.user.ID, "local", hash("host"))
	require.NoError(t, err)
	require.Equal(t, "local", b.alice.runners().Effective)
	require.Empty(t, b.bob.runners().Effective, "the host is for administrators")
	require.Empty(t, runnerNames(b.bob.runners()))

	b.docker.on.Store(true)
	require.Equal(t, "__docker__", b.bob.runners().Effective)
	require.Equal(t, []string{"local", "__docker__"}, runnerNames(b.alice.runners()))
	b.alice.makes("laptop")
	var all chat.Runners
	b.alice.put("/api/runners/active", map[string]any{"name": "laptop"}).is(http.StatusOK, &all)
	require.Equal(t, "laptop", all.Active)
	require.Equal(t, "laptop", all.Effective)
	for _, r := range all.Runners {
		require.Equal(t, r.Name == "laptop", r.Active, r.Name)
	}
	b.bob.put("/api/runners/active", map[string]any{"name": "local"}).problem(http.StatusForbidden)
	b.bob.put("/api/runners/active", map[string]any{"name": "laptop"}).problem(http.StatusNotFound)

	b.alice.delete("/api/runners/laptop").is(http.StatusNoContent, nil)
	all = b.alice.runners()
	require.Equal(t, "laptop", all.Active)
	require.Empty(t, all.Effective, "commands do not move elsewhere by themselves")
	b.alice.put("/api/runners/active", map[string]any{"name": ""}).is(http.StatusOK, &all)
	require.Equal(t, "__docker__", all.Effective)
}

func TestRunners_TheModelIsTheirsUnlessTheServersIsAskedFor(t *testing.T) {
	b := setup(t)
	made := b.bob.makes("laptop")
	require.Equal(t, "demo/demo", b.bob.runners().Model, "it was never connected")
	b.connect(made.Token, wire.Info{LLM: &wire.LLM{Provider: "anthropic", Model: "c"}})
	require.Equal(t, "anthropic/c", b.bob.runners().Model, "commands go to the only runner there is")
	var all chat.Runners
	b.bob.put("/api/runners/active", map[string]any{"name": "laptop"}).is(http.StatusOK, &all)
	require.Equal(t, "anthropic/c", all.Model)
	require.Equal(t, "auto", all.LLMSource)
	b.bob.put("/api/runners/llm", map[string]any{"source": "server"}).is(http.StatusOK, &all)
	require.Equal(t, "demo/demo", all.Model)
	require.Equal(t, "server", all.LLMSource)
	b.bob.put("/api/runners/llm", map[string]any{"source": "auto"}).is(http.StatusOK, &all)
	require.Equal(t, "anthropic/c", all.Model)
	b.bob.put("/api/runners/llm", map[string]any{"source": "mine"}).problem(http.StatusUnprocessableEntity)
}

func TestRunners_RefuseNamesAndStrangers(t *testing.T) {
	b := setup(t)
	b.bob.makes("laptop")
	b.bob.post("/api/runners", map[string]any{"name": "laptop"}).problem(http.StatusConflict)
	for _, name := range []string{"Laptop", "-x", "a b", "größe", "local", "__docker__", "default", "a/b", strings.Repeat("a", 129)} {
		detail := b.bob.post("/api/runners", map[string]any{"name": name}).problem(http.StatusBadRequest)
		require.Contains(t, detail, name)
	}
	for _, who := range []*person{nil, b.alice} {
		status := map[bool]int{true: http.StatusUnauthorized, false: http.StatusNotFound}[who == nil]
		b.do(who, http.MethodDelete, "/api/runners/laptop", nil).problem(status)
		b.do(who, http.MethodPost, "/api/runners/laptop/token", nil).problem(status)
		b.do(who, http.MethodPut, "/api/runners/active", map[string]any{"name": "laptop"}).problem(status)
	}
	b.do(nil, http.MethodGet, "/api/runners", nil).problem(http.StatusUnauthorized)
	b.do(nil, http.MethodPost, "/api/runners", map[string]any{"name": "x"}).problem(http.StatusUnauthorized)
	b.alice.delete("/api/runners/local").problem(http.StatusForbidden)
	b.alice.post("/api/runners/__docker__/token", nil).problem(http.StatusForbidden)
}

func TestRunnerCommand_DoesTheSameInWordsAndKeepsNoSecret(t *testing.T) {
	b := setup(t)
	s := b.bob.session("")
	sent := 0
	said := func(text string) string {
		sent++
		b.bob.say(s.Key, strings.Repeat("i", sent), text).is(http.StatusAccepted, nil)
		t, err := b.store.Conversations.Messages(b.t.Context(), s.Key, pageOf(1))
		require.NoError(b.t, err)
		require.Equal(b.t, chat.RoleNotice, t.Messages[0].Role)
		return t.Messages[0].Content
	}
	require.Contains(t, said("/runner"), "no runner for your commands yet")
	answer := said("/runner create laptop")
	require.Contains(t, answer, "Runner `laptop` is made")
	require.NotRegexp(t, `[A-Za-z0-9_-]{43}`, answer, "no token in a transcript")
	require.Contains(t, said("/runner create laptop"), "already")
	require.Contains(t, said("/runner use laptop"), "offline at the moment")
	list := said("/runner")
	require.Contains(t, list, "* **`laptop`** · native · offline")
	require.Contains(t, list, "Commands run on `laptop` now")
	require.Contains(t, said("/runner use nowhere"), `no runner named "nowhere"`)
	require.Contains(t, said("/runner revoke laptop"), "revoked")
	require.Contains(t, said("/runner"), "The runner that you chose, `laptop`, no longer exists")
	require.Contains(t, said("/runner use default"), "no runner for your commands")
	require.Contains(t, said("/runner destroy laptop"), "Write `/runner`")
	require.Contains(t, said("/runner create 好"), "cannot be a runner's name")
}

// tick is the pause between looks of a test.
const tick = 5 * time.Millisecond

func hash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

func pageOf(limit int) conversation.Page { return conversation.Page{Limit: limit} }

// host makes the runner of the server's own machine and connects it; its machine cannot confine commands.
func (b *bundle) host() {
	b.t.Helper()
	token, hash := secret.NewToken()
	_, err := b.store.Runners.EnsureRunner(b.t.Context(), b.alice.user.ID, "local", hash)
	require.NoError(b.t, err)
	_, welcome := b.connect(token, wire.Info{OS: "linux", Confinement: "none: no namespaces", Refused: true})
	require.Equal(b.t, wire.TypeRegistered, welcome.Type)
}

func TestRunnerSandbox_OfTheServersOwnRunnerIsChosenByAdministratorsUnlessTheSettingSaysIt(t *testing.T) {
	b := setup(t)
	const at = "/api/runners/local/sandbox"
	choose := func(p *person, confine string) answer { return b.do(p, http.MethodPut, at, object{"confine": confine}) }
	require.Contains(t, choose(b.alice, "off").problem(http.StatusNotFound), "--confine")
	b.host()
	laptop := b.alice.makes("laptop")
	b.connect(laptop.Token, wire.Info{OS: "linux", Confinement: "none: no namespaces", Refused: true})
	local := func() chat.Runner { return b.alice.runners().Runners[1] }
	require.Equal(t, []string{"laptop", "local"}, runnerNames(b.alice.runners()))
	require.True(t, local().Refused)
	require.Equal(t, &chat.RunnerSandbox{Confine: chat.ConfineAuto}, local().Sandbox)
	require.Nil(t, b.alice.runners().Runners[0].Sandbox, "whoever starts another runner decides there")

	choose(b.bob, "off").problem(http.StatusForbidden)
	choose(b.alice.by(users.ScopeChat), "off").problem(http.StatusForbidden)
	for _, bad := range []string{"require", "none", "", "OFF"} {
		require.GreaterOrEqual(t, choose(b.alice, bad).status, http.StatusBadRequest, bad)
	}
	require.Equal(t, &chat.RunnerSandbox{Confine: chat.ConfineAuto}, local().Sandbox)

	var all chat.Runners
	choose(b.alice, "off").is(http.StatusOK, &all)
	require.Equal(t, chat.ConfineOff, all.Runners[1].Sandbox.Confine)
	require.Equal(t, "alice", local().Sandbox.ChangedBy)
	choose(b.alice, "auto").is(http.StatusOK, nil)
	require.Equal(t, chat.ConfineAuto, local().Sandbox.Confine)

	b.machines.Confine = chat.ConfineRequire
	require.Contains(t, choose(b.alice, "off").problem(http.StatusConflict), "XBOT_CONFINE=require")
	require.Equal(t, &chat.RunnerSandbox{Confine: chat.ConfineRequire, Setting: true}, local().Sandbox)
}
