package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"xbot/internal/client/apiclient"
	"xbot/internal/llm/llmtest"
)

// stack is a running server with a scripted model.
type stack struct {
	bin, home string
	address   string
	env       []string // additional environment of the server
	model     *llmtest.Server
	cmd       *exec.Cmd
	client    *apiclient.Client
	talk      *talk // the chat of measurements that ask one question after the other
}

func newStack(bin string) (*stack, error) {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "xb")
	if err != nil {
		return nil, err
	}
	model, err := llmtest.Start("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &stack{bin: bin, home: home, address: l.Addr().String(), model: model}
	s.client = apiclient.New(s)
	return s, l.Close()
}

// Endpoint reads where the server is, as a local program does.
func (s *stack) Endpoint(context.Context) (apiclient.Endpoint, error) {
	var note struct{ URL, Token string }
	data, err := os.ReadFile(filepath.Join(s.home, "run", "serve.json"))
	if err == nil {
		err = json.Unmarshal(data, &note)
	}
	return apiclient.Endpoint{URL: note.URL, Token: note.Token}, err
}

// start runs the server and returns how long it took until it was ready.
func (s *stack) start(ctx context.Context) (time.Duration, error) {
	_ = os.Remove(filepath.Join(s.home, "run", "serve.json")) // of an earlier start, if there was one
	s.cmd = exec.Command(filepath.Join(s.bin, "xbot"), "serve")
	s.cmd.Env = append(os.Environ(), "XBOT_HOME="+s.home, "XBOT_HTTP_ADDR="+s.address, "XBOT_WORKSPACE="+s.home+"/..",
		"LLM_BASE_URL="+s.model.BaseURL(), "LLM_MODEL=scripted", "LLM_API_KEY=none", "AGENT_TITLES=off")
	s.cmd.Env = append(s.cmd.Env, s.env...)
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return 0, err
	}
	for ctx.Err() == nil {
		if s.client.Ready(ctx) == nil {
			return time.Since(began), nil
		}
		if time.Since(began) > 2*time.Minute {
			return 0, errors.New("the server did not become ready")
		}
		time.Sleep(5 * time.Millisecond)
	}
	return 0, ctx.Err()
}

func (s *stack) stop() error {
	if s.cmd == nil {
		return nil
	}
	err := s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait() // a stopped server has exit code 0 or the signal's
	s.cmd = nil
	return err
}

func (s *stack) remove() {
	err := errors.Join(s.stop(), os.RemoveAll(s.home))
	s.model.Stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
}
