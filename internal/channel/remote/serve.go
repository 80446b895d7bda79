package remote

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// Live opens accounts as they are configured.
type Live interface {
	Account(ctx context.Context, channel, account string) (channel.Account, error)
}

// Handler carries out calls of other processes on the connections of this one. The caller has to authenticate requests.
func Handler(live Live) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.Error(w, "calls are posted", http.StatusMethodNotAllowed)
			return
		}
		control := http.NewResponseController(w)
		_, _ = control.SetReadDeadline(time.Now().Add(callWait)), control.SetWriteDeadline(time.Now().Add(callWait)) // otherwise the server's apply
		var c call
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCall)).Decode(&c); err != nil {
			http.Error(w, "the call cannot be read", http.StatusBadRequest)
			return
		}
		a, err := here(r.Context(), live, c)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		if c.Do == doFetch {
			fetch(r.Context(), w, a, c)
			return
		}
		out, err := perform(r.Context(), a, c)
		out.Error = failed(err)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out) // a disconnected caller does not learn the outcome
	})
}

// here finds the account of a call, if this process holds its connection.
func here(ctx context.Context, live Live, c call) (channel.ConnectedAccount, error) {
	a, err := live.Account(ctx, c.Channel, c.Account)
	if err != nil {
		return nil, err
	}
	h, is := a.(channel.ConnectedAccount)
	if !is || !h.Here() {
		return nil, fault.Errorf(fault.Unavailable, "the platform is not connected to this process")
	}
	return h, nil
}

func perform(ctx context.Context, a channel.ConnectedAccount, c call) (out outcome, err error) {
	switch c.Do {
	case doSend:
		out.Sent, err = a.Send(ctx, c.To, c.Message)
	case doFind:
		out.Sent, out.Found, err = a.Find(ctx, c.To, c.Message, c.Since)
	case doPace:
		err = a.Pace(ctx)
	case doDelete:
		err = a.Delete(ctx, c.To, c.ID)
	case doReact:
		err = a.React(ctx, c.To, c.ID, c.Emoji)
	case doTyping:
		err = a.Typing(ctx, c.To)
	case doCheck:
		out.Identity, out.Problems, err = a.Check(ctx)
	default:
		err = fault.Errorf(fault.Unavailable, "this process does not know the call %q: is it of another version?", c.Do)
	}
	return out, err
}

// fetch answers with the content of a file. One that breaks off breaks the connection, so that it is not taken for whole.
func fetch(ctx context.Context, w http.ResponseWriter, a channel.ConnectedAccount, c call) {
	content, err := a.Fetch(ctx, c.ID, c.File)
	if err != nil {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(outcome{Error: failed(err)}) // a disconnected caller asks again
		return
	}
	defer content.Close()
	w.Header().Set("Content-Type", contentType)
	if _, err := io.Copy(w, content); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// contentType marks an answer as the content of a file.
const contentType = "application/octet-stream"
