// Package local finds the server that runs for this user on this machine, and starts one when there is none. The server writes its address to
// $XBOT_HOME/run/serve.json, which only its owner can read.
package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
)

// askTime is how long a server on this machine may take to answer before it counts as away.
const askTime = 3 * time.Second

// Server is the server of the user who owns a data folder, whether or not it runs. It is a source of the endpoint for
// apiclient, read from the file each time, because a server that starts again has a new token.
type Server struct {
	Home   string // the data folder, XBOT_HOME
	Binary string // the xbot program; empty: next to this program, then in PATH
	Args   []string

	ServiceWait time.Duration // how long to wait for a service that runs the server; 0: a minute
}

var _ apiclient.Source = (*Server)(nil)

// about is the content of serve.json.
type about struct {
	URL     string `json:"url"`
	PID     int    `json:"pid"`
	Token   string `json:"token"`
	Version string `json:"version"`
	Service bool   `json:"service"` // systemd starts the server again when it ends
}

// Home returns the data folder of this user: XBOT_HOME, else ~/.xbot.
func Home(getenv func(string) string) (string, error) {
	if home := getenv("XBOT_HOME"); home != "" {
		return filepath.Abs(home)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fault.Errorf(fault.Invalid, "the home folder of this user is not known; set XBOT_HOME to a folder for xbot's data")
	}
	return filepath.Join(home, ".xbot"), nil
}

// Endpoint returns where the server of the file listens. The error is of kind Unavailable when no server runs.
func (s *Server) Endpoint(context.Context) (apiclient.Endpoint, error) {
	told, err := s.read()
	if err != nil {
		return apiclient.Endpoint{}, err
	}
	return apiclient.Endpoint{URL: told.URL, Token: told.Token}, nil
}

func (s *Server) read() (about, error) {
	told, err := s.note()
	if err != nil {
		return about{}, err
	}
	// The process is looked for before the token is sent to any program that listens on its port now.
	if !alive(told.PID) {
		return about{}, fault.Errorf(fault.Unavailable, "no server of this user is running")
	}
	return told, nil
}

// note reads the file of the server that ran last, whether or not it runs now.
func (s *Server) note() (about, error) {
	file := filepath.Join(s.Home, "run", "serve.json")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return about{}, fault.Errorf(fault.Unavailable, "no server of this user is running")
	}
	if err != nil {
		return about{}, fault.Errorf(fault.Denied, "read how to reach the server of this user: %w", err)
	}
	var told about
	if err := json.Unmarshal(text, &told); err != nil || told.URL == "" {
		// The server writes the file with one rename; what cannot be read was left by something else.
		return about{}, fault.Errorf(fault.Unavailable, "%s cannot be read; remove it and try again", file)
	}
	return told, nil
}

// Running returns nil if the server runs, accepts its owner and takes messages.
func (s *Server) Running(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	client := apiclient.New(s)
	defer client.Close()
	if _, err := client.Me(ctx); err != nil {
		return fmt.Errorf("ask the server of this user: %w", err)
	}
	return client.Ready(ctx)
}
