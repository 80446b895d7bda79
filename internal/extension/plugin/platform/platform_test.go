package platform_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/bridge"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/extension/plugin/platform"
	"xbot/internal/extension/plugin/pluginstore"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	sdk "xbot/sdk/go"
)

// asPlugin makes this program the plugin.
const asPlugin = "XBOT_TEST_AS_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(asPlugin) != "" {
		p := sdk.New()
		p.Channel("pets", pets{})
		p.Channel("pets-street", &guide{})
		_ = p.Run() // the test has ended it
		return
	}
	os.Exit(m.Run())
}

// pets is a platform that does what it is told in a message.
type pets struct{}

func (pets) Open(_ context.Context, a *sdk.Account) (sdk.Bot, error) {
	if a.Setting("token") != "right-secret" {
		return sdk.Bot{}, sdk.Refused("the token %s is wrong", a.Setting("token"))
	}
	go func() { // once the answer is written
		for i, m := range attempts() {
			a.Name = cmp.Or(m.account, "suite")
			if err := a.Receive(context.Background(), m.Incoming); m.good != (err == nil) || !m.good && !sdk.IsRefused(err) {
				_ = a.Receive(context.Background(), sdk.Incoming{ID: "wrong", Type: "direct", Sender: sdk.Bot{ID: "1"}, Text: fmt.Sprintf("attempt %d: %v", i, err)})
			}
		}
		a.Name = "suite"
		_ = a.Receive(context.Background(), sdk.Incoming{ID: "done", Type: "direct", Sender: sdk.Bot{ID: "1"}, Text: "done"})
	}()
	return sdk.Bot{ID: "9", Name: "Rex"}, nil
}

func (pets) Close(*sdk.Account) {}

func (pets) Send(_ context.Context, a *sdk.Account, m sdk.Outgoing) (string, error) {
	switch {
	case m.File != nil:
		return fmt.Sprintf("file-%d-%x", len(m.File.Data), m.File.Data[len(m.File.Data)-1]), nil
	case m.Text == "refuse":
		return "", sdk.Refused("not for %s", a.Setting("token"))
	case m.Text == "limit":
		return "", sdk.Limited(7*time.Second, "slowly")
	case m.Text == "away":
		return "", sdk.Away("later")
	case m.Text == "break":
		return "", errors.New("it broke")
	case m.Text == "die":
		os.Exit(3)
	}
	return "id-" + m.Key, nil
}

func (pets) Fetch(_ context.Context, _ *sdk.Account, _, key string, offset int64, limit int) ([]byte, bool, error) {
	all := strings.Repeat(key, 500_000)
	end := min(int(offset)+limit, len(all))
	return []byte(all[offset:end]), end == len(all), nil
}

type attempt struct {
	sdk.Incoming

	account string
	good    bool
}

// attempts are messages of which the good ones may arrive.
func attempts() []attempt {
	person := sdk.Bot{ID: "1", Name: "Ann\x00\u202e"}
	base := sdk.Incoming{ID: "m", Type: "direct", Sender: person, Text: "bad"}
	with := func(change func(m *sdk.Incoming)) attempt {
		m := base
		change(&m)
		return attempt{Incoming: m}
	}
	other := attempt{Incoming: base, account: "other"}
	return []attempt{
		{Incoming: sdk.Incoming{ID: "ok", Type: "group", Chat: "g1", Sender: person, Text: "good", Mentioned: true}, good: true},
		other,
		with(func(m *sdk.Incoming) { m.ID = "" }),
		with(func(m *sdk.Incoming) { m.ID = "a\nb" }),
		with(func(m *sdk.Incoming) { m.ID = strings.Repeat("x", 129) }),
		with(func(m *sdk.Incoming) { m.Sender.ID = "1; drop" }),
		with(func(m *sdk.Incoming) { m.Type = "group" }),
		with(func(m *sdk.Incoming) { m.Type, m.Chat = "group", "g1\n" }),
		with(func(m *sdk.Incoming) { m.Type = "subagent" }),
		with(func(m *sdk.Incoming) { m.Chat = "d1" }),
		with(func(m *sdk.Incoming) { m.Text = "a\x00b" }),
		with(func(m *sdk.Incoming) { m.Text = strings.Repeat("x", 300<<10) }),
		with(func(m *sdk.Incoming) { m.Files = make([]sdk.File, 30) }),
		with(func(m *sdk.Incoming) { m.Files = []sdk.File{{Kind: "sticker", Key: "k"}} }),
	}
}

// allRows are the rows that nobody asks for.
type allRows interface {
	bridge.Rows
	installed.Rows
}

// rows have the plugin.
type rows struct {
	allRows

	files plugin.Tree
}

const manifest = `{"id": "pets", "name": "Pets", "version": "1", "runtime": "stdio", "command": ["run"], "permissions": ["channel"], "timeout": 5, "contributes": {"channels": [{
	"name": "pets", "label": "Pets", "options": [{"name": "token", "label": "Token", "secret": true, "required": true}],
	"ids": {"person": "[0-9]{1,9}", "group": "g[0-9]{1,9}", "example": "1"}, "abilities": {"text": 200, "file": 4000000}}]}}`

func (r *rows) Plugins(context.Context) ([]pluginstore.Plugin, error) {
	return []pluginstore.Plugin{{ID: "pets", Version: "1", Digest: r.files.Digest(), Permissions: []string{"channel"}, Enabled: true, Revision: 1, Installation: 1, Manifest: []byte(manifest)}}, nil
}

func (r *rows) PluginArchive(context.Context, string) (string, []byte, error) {
	archive, err := r.files.Zip()
	return r.files.Digest(), archive, err
}

func (*rows) SetPluginProblem(context.Context, string, int64, string) error { return nil }

func (*rows) SetPluginFailure(context.Context, string, int64, string) error { return nil }

// box runs this program as the plugin.
type box struct {
	sandbox.Sandbox

	program []string // in its place
}

type process struct {
	*exec.Cmd

	in       io.WriteCloser
	out, err io.Reader
}

func (p *process) Stdin() io.WriteCloser { return p.in }
func (p *process) Stdout() io.Reader     { return p.out }
func (p *process) Stderr() io.Reader     { return p.err }
func (p *process) Kill()                 { _ = p.Process.Kill() }
func (p *process) Wait() (int, error)    { _ = p.Cmd.Wait(); return p.ProcessState.ExitCode(), nil }

func (b box) Start(ctx context.Context, _ sandbox.StdioRequest) (sandbox.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{Cmd: exec.CommandContext(ctx, self)}
	if b.program != nil {
		p.Cmd = exec.CommandContext(ctx, b.program[0], b.program[1:]...)
	}
	p.Env = append(os.Environ(), asPlugin+"=1")
	p.in, _ = p.StdinPipe()
	p.out, _ = p.StdoutPipe()
	p.err, _ = p.StderrPipe()
	return p, p.Cmd.Start()
}

// notes is a receiver that keeps what arrives.
type notes struct {
	channel.Receiver

	mu       sync.Mutex
	heard    []chat.Envelope
	statuses []channel.Status
}

func (n *notes) Receive(_ context.Context, e chat.Envelope) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.heard = append(n.heard, e)
	return nil
}

func (n *notes) Report(s channel.Status) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.statuses = append(n.statuses, s)
}

func (n *notes) texts() (out []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range n.heard {
		out = append(out, e.Text)
	}
	return out
}

// opened is an account of the plugin with a token, and what it received once it ran to done.
func opened(t *testing.T, token string, program ...string) (channel.ConnectedAccount, *notes, chan error) {
	t.Helper()
	r := &rows{files: plugin.Tree{"run": {Data: []byte("x"), Exec: true}, plugin.ManifestName: {Data: []byte(manifest)}}}
	known := &installed.Plugins{Rows: r}
	hub := &platform.Hub{Installed: known}
	b := bridge.New(bridge.Config{Plugins: known, Rows: r, Box: box{program: program}, Home: t.TempDir(), Peer: hub})
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	hub.Connect(b)
	drivers, err := hub.Drivers(t.Context())
	require.NoError(t, err)
	require.Len(t, drivers, 1)
	a, err := drivers[0].Open("suite", map[string]string{"token": token}, channel.Resources{})
	require.NoError(t, err)
	n, done := &notes{}, make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() { done <- a.Run(ctx, n, n); close(done) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Log("it ended:", err)
		}
	})
	held, ok := a.(channel.ConnectedAccount)
	require.True(t, ok)
	return held, n, done
}

func TestPlatform_WhatAPluginMayNotSayIsRefused(t *testing.T) {
	a, n, _ := opened(t, "right-secret")
	require.Eventually(t, func() bool { all := n.texts(); return len(all) > 0 && all[len(all)-1] == "done" }, 20*time.Second, 5*time.Millisecond)
	require.Equal(t, []string{"good", "done"}, n.texts())
	require.Equal(t, chat.Source{Channel: "pets", Account: "suite", ChatType: chat.ChatGroup, Chat: "g1"}, n.heard[0].Source)
	require.NotContains(t, n.heard[0].Sender.Name, "\x00")
	who, _, err := a.Check(t.Context())
	require.NoError(t, err)
	require.Equal(t, channel.Identity{ID: "9", Name: "Rex"}, who)
}

func TestPlatform_AnErrorSaysWhetherSomethingWasSent(t *testing.T) {
	a, n, _ := opened(t, "right-secret")
	require.Eventually(t, a.Here, 20*time.Second, 5*time.Millisecond)
	send := func(text string) (channel.Sent, error) {
		return a.Send(t.Context(), channel.Address{ChatType: chat.ChatDirect, Peer: "1"}, channel.Message{Key: "k", Text: text})
	}
	sent, err := send("hello")
	require.NoError(t, err)
	require.Equal(t, "id-k", sent.ID)
	_, err = send(strings.Repeat("x", 201))
	require.True(t, fault.Is(err, fault.TooLarge))
	for text, want := range map[string]fault.Kind{"refuse": fault.Denied, "limit": fault.RateLimited, "away": fault.Unavailable} {
		_, err = send(text)
		require.Equal(t, want, fault.KindOf(err), "%s: %v", text, err)
		require.False(t, channel.Unknown(err), text)
		require.NotContains(t, err.Error(), "right-secret")
		if text == "limit" {
			require.Equal(t, 7*time.Second, fault.After(err))
		}
	}
	_, err = send("break")
	require.True(t, channel.Unknown(err), "%v", err)
	_, err = send("die")
	require.True(t, channel.Unknown(err), "%v", err)
	require.Eventually(t, func() bool { _, err := send("again"); return err == nil }, 30*time.Second, 10*time.Millisecond, "it is opened anew")
	n.mu.Lock()
	defer n.mu.Unlock()
	require.True(t, n.statuses[len(n.statuses)-1].Connected)
}

func TestPlatform_AQuestionIsShortenedToWhatIsShown(t *testing.T) {
	a, _, _ := opened(t, "right-secret")
	require.Eventually(t, a.Here, 20*time.Second, 5*time.Millisecond)
	q := &channel.Question{ID: "q", Title: "May this run?", Text: strings.Repeat("long ", 100), Buttons: []channel.Button{{Name: "yes", Label: "Allow it"}, {Name: "no", Label: "Deny it"}}}
	sent, err := a.Send(t.Context(), channel.Address{ChatType: chat.ChatDirect, Peer: "1"}, channel.Message{Key: "q", Card: q})
	require.NoError(t, err, "a text of more than 200 characters is refused")
	require.Equal(t, "id-q", sent.ID)
}

func TestPlatform_FilesTravelInParts(t *testing.T) {
	a, _, _ := opened(t, "right-secret")
	require.Eventually(t, a.Here, 20*time.Second, 5*time.Millisecond)
	data := append(bytes.Repeat([]byte{1}, 3_000_000), 0xab)
	sent, err := a.Send(t.Context(), channel.Address{ChatType: chat.ChatDirect, Peer: "1"}, channel.Message{Key: "f", File: &channel.File{Name: "f", Data: data}})
	require.NoError(t, err)
	require.Equal(t, "file-3000001-ab", sent.ID)
	in, err := a.Fetch(t.Context(), "m", chat.Attachment{Key: "abc"})
	require.NoError(t, err)
	defer in.Close()
	read, err := io.ReadAll(in)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("abc", 500_000), string(read))
}

func TestPlatform_AWrongSecretEndsRunAndIsNotRepeated(t *testing.T) {
	_, _, done := opened(t, "wrong-secret")
	err := <-done
	require.True(t, fault.Is(err, fault.Denied), "%v", err)
	require.Contains(t, err.Error(), "the token … is wrong")
}

// inTypeScript is a platform by the other SDK.
const inTypeScript = `import { ChannelError, Plugin } from %q
const plugin = new Plugin()
plugin.channel("pets", {
  open: ({ channel, account }) => {
    const message = { id: "1", type: "direct", sender: { id: "1" }, text: "hello" }
    setTimeout(() => plugin.ask("channels/receive", { channel, account, message }), 0)
    return { id: "9", name: "Rex" }
  },
  send: ({ key, text }) => {
    if (text === "limit") throw new ChannelError(-32002, "slowly", 7)
    if (text === "break") throw new Error("it broke")
    return { id: "id-" + key }
  },
})
plugin.run()
`

func TestPlatform_SpeaksTypeScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node here")
	}
	sdkPath, err := filepath.Abs("../../../../sdk/typescript/plugin.ts")
	require.NoError(t, err)
	bundler, err := filepath.Abs("../../../../web/node_modules/.bin/rolldown")
	require.NoError(t, err)
	if _, err := os.Stat(bundler); err != nil {
		t.Skip("the modules of the page are not installed")
	}
	script, bundled := filepath.Join(t.TempDir(), "main.ts"), filepath.Join(t.TempDir(), "main.mjs")
	require.NoError(t, os.WriteFile(script, fmt.Appendf(nil, inTypeScript, sdkPath), 0o600))
	out, err := exec.CommandContext(t.Context(), bundler, script, "--platform", "node", "--format", "esm", "-o", bundled).CombinedOutput()
	require.NoError(t, err, "%s", out)
	a, n, _ := opened(t, "right-secret", node, bundled)
	require.Eventually(t, func() bool { return len(n.texts()) == 1 && a.Here() }, 20*time.Second, 5*time.Millisecond)
	require.Equal(t, []string{"hello"}, n.texts())
	to := channel.Address{ChatType: chat.ChatDirect, Peer: "1"}
	sent, err := a.Send(t.Context(), to, channel.Message{Key: "k", Text: "x"})
	require.NoError(t, err)
	require.Equal(t, "id-k", sent.ID)
	_, err = a.Send(t.Context(), to, channel.Message{Key: "k", Text: "limit"})
	require.Equal(t, 7*time.Second, fault.After(err))
	_, err = a.Send(t.Context(), to, channel.Message{Key: "k", Text: "break"})
	require.True(t, channel.Unknown(err))
	require.True(t, fault.Is(a.Delete(t.Context(), to, "x"), fault.Denied))
}
