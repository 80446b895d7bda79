package mcp

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/message"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

// command is the command of a server, which runs on a runner, in its sandbox.
type command struct {
	process sandbox.Process
	said    sandbox.LastOutput
	ended   chan struct{} // closed when the process has ended
	code    int           // set when ended is closed
	err     error         // set when ended is closed
}

// begin starts the command of a server. It runs until life ends.
func begin(life context.Context, box sandbox.Sandbox, about chat.MCPConfig, dir string, env []string) (*command, error) {
	process, err := box.Start(life, sandbox.StdioRequest{Args: append([]string{about.Command}, about.Args...), Dir: dir, Env: env})
	if err != nil {
		return nil, err
	}
	return &command{process: process, ended: make(chan struct{})}, nil
}

// attend reads the standard error of the command, and waits for its end. The messages have to be read in the meantime.
func (c *command) attend() {
	_, _ = io.Copy(&c.said, c.process.Stderr()) // Wait returns how it ended
	c.code, c.err = c.process.Wait()
	close(c.ended)
}

// transport returns the transport over the streams of the command.
func (c *command) transport(life context.Context, pace *rate.Limiter) sdk.Transport {
	out := &message.Lines{From: newPaced(life, c.process.Stdout(), pace), Log: &c.said}
	return &sdk.IOTransport{Reader: io.NopCloser(out), Writer: c.process.Stdin(), MaxLineLength: maxMessage}
}

// ending describes how the command ended and its last output; empty if it still runs after a while.
func (c *command) ending(after time.Duration) string {
	timer := time.NewTimer(after)
	defer timer.Stop()
	select {
	case <-c.ended:
	case <-timer.C:
		return ""
	}
	said := strings.TrimSpace(tool.Clean(c.said.Bytes()))
	switch {
	case c.err != nil:
		return fmt.Sprintf("the command ended: %v", c.err)
	case said == "":
		return fmt.Sprintf("the command ended with exit code %d", c.code)
	}
	return fmt.Sprintf("the command ended with exit code %d; it wrote: %s", c.code, said)
}

// folders are the roots of a command: the folder of the conversation, and the absolute paths among its arguments, which its owner chose.
type folders struct {
	guard  sync.Mutex
	client *sdk.Client // nil: it gets no roots
	roots  []*sdk.Root
	dir    string
}

// announce sets the roots of a client that is about to connect. Servers with an address get no roots.
func (f *folders) announce(client *sdk.Client, about chat.MCPConfig, box sandbox.Sandbox) {
	if about.Transport != chat.MCPStdio {
		return
	}
	f.guard.Lock()
	defer f.guard.Unlock()
	if f.dir == "" {
		f.dir = box.Workspace()
	}
	f.client, f.roots = client, rootsOf(f.dir, about.Args)
	client.AddRoots(f.roots...)
}

// worksIn informs the command of the folder of a conversation.
func (n *connection) worksIn(at At) {
	f := &n.calls.folders
	f.guard.Lock()
	defer f.guard.Unlock()
	if f.client == nil {
		return
	}
	dir := at.Dir
	if dir == "" {
		dir = n.box.Workspace()
	}
	if dir == f.dir {
		return
	}
	before := f.roots
	f.dir, f.roots = dir, rootsOf(dir, n.server.Args)
	for _, r := range before {
		if !slices.ContainsFunc(f.roots, func(now *sdk.Root) bool { return now.URI == r.URI }) {
			f.client.RemoveRoots(r.URI)
		}
	}
	f.client.AddRoots(f.roots...)
}

func rootsOf(dir string, args []string) (out []*sdk.Root) {
	for _, folder := range append([]string{dir}, args...) {
		windows := len(folder) > 2 && folder[1] == ':' && (folder[2] == '\\' || folder[2] == '/')
		if windows {
			folder = "/" + strings.ReplaceAll(folder, "\\", "/")
		}
		if strings.HasPrefix(folder, "/") {
			out = append(out, &sdk.Root{Name: path.Base(folder), URI: (&url.URL{Scheme: "file", Path: folder}).String()})
		}
	}
	return out
}
