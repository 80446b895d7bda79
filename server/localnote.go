package server

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"xbot/internal/chat"
	"xbot/internal/secret"
	"xbot/internal/user/users"
)

// Note is what programs of the same user need to reach this server: $XBOT_HOME/run/serve.json.
type Note struct {
	URL     string `json:"url"`
	PID     int    `json:"pid"`
	Token   string `json:"token"`
	Version string `json:"version"`
	Service bool   `json:"service,omitempty"` // systemd starts the server again when it ends
}

// ofSystemd reports whether systemd started this process. Programs that it started inherit the variable, with the id of their ancestor.
func ofSystemd() bool { return os.Getenv("SYSTEMD_EXEC_PID") == strconv.Itoa(os.Getpid()) }

// localToken names the token of the programs next to this server, of which a database may have several. A new start
// makes another.
func (in *ingressPart) localToken() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return "local programs of " + host + ":" + in.core.proc.home
}

// localTokens is how many of these tokens hold: the one in the note while a server starts, which may have been killed before it
// wrote a new one, must not be refused, nor one that a program has just read there.
const localTokens = 3

func (in *ingressPart) noteLocal(ctx context.Context, admin chat.UserID) error {
	token, hash := secret.NewToken()
	if _, err := in.core.stores.Users.GrantToken(ctx, admin, users.Token{Name: in.localToken()}, hash); err != nil {
		return err
	}
	data, err := json.Marshal(Note{URL: in.at.own(), PID: os.Getpid(), Token: token, Version: in.core.proc.version, Service: ofSystemd()})
	if err != nil {
		return err
	}
	path := filepath.Join(in.core.proc.home, "run", "serve.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp := path + ".new"
	if err := errors.Join(os.WriteFile(tmp, data, 0o600), os.Rename(tmp, path)); err != nil {
		return err
	}
	return in.core.stores.Users.RevokeOlderTokens(ctx, admin, in.localToken(), localTokens)
}

// noteLook is how often the administrator of the note is checked in addition to notifications of the database.
const noteLook = 15 * time.Second

// keepNote gives the programs next to this server to the next administrator when theirs is none any more, until ctx ends.
func (in *ingressPart) keepNote(ctx context.Context, noted chat.UserID) error {
	changes, leave := in.core.db.bus.AccessChanges()
	defer leave()
	tick := time.NewTicker(noteLook)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changes:
		case <-tick.C:
		}
		admin, err := in.core.stores.Users.EnsureAdmin(ctx, in.core.admin)
		if err == nil && admin.ID == noted {
			continue
		}
		if err == nil {
			err = in.noteLocal(ctx, admin.ID)
		}
		if err == nil { // until the tokens of the one before are void, all of it is tried again
			err = in.core.stores.Users.RevokeOlderTokens(ctx, noted, in.localToken(), 0)
		}
		if err == nil {
			noted = admin.ID
			in.core.proc.log.Info("the programs beside this server are another administrator's", "user", admin.Name)
		} else if ctx.Err() == nil {
			in.core.proc.log.Warn("the note for programs beside this server could not be kept", "error", err)
		}
	}
}

// ReadNote reads where the server of a data folder is.
func ReadNote(home string) (Note, error) {
	var note Note
	data, err := os.ReadFile(filepath.Join(home, "run", "serve.json"))
	if err != nil {
		return note, err
	}
	return note, json.Unmarshal(data, &note)
}
