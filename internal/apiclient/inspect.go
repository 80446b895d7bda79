package apiclient

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/fault"
)

// SessionFilter says which conversations are listed; empty members let all through.
type SessionFilter struct {
	User, Channel, Agent string
	Active               int // minutes
}

// Status returns the installation at a glance, for administrators.
func (c *Administration) Status(ctx context.Context) (ops.Status, error) {
	var out ops.Status
	return out, c.do(ctx, http.MethodGet, "/api/status", nil, nil, &out)
}

// InspectSessions lists conversations of all users, for administrators: page by page, all of them.
func (c *Administration) InspectSessions(ctx context.Context, f SessionFilter) ([]ops.SessionSummary, error) {
	query := url.Values{}
	for name, value := range map[string]string{"user": f.User, "channel": f.Channel, "agent": f.Agent} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if f.Active > 0 {
		query.Set("active", strconv.Itoa(f.Active))
	}
	all := []ops.SessionSummary{}
	for {
		var page struct {
			Sessions []ops.SessionSummary `json:"sessions"`
			Next     string               `json:"next"`
		}
		if err := c.do(ctx, http.MethodGet, "/api/inspect/sessions", query, nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Sessions...)
		if page.Next == "" {
			return all, nil
		}
		query.Set("after", page.Next)
	}
}

// maxInbox is how much the server lists of what has no answer.
const maxInbox = 5000

// InspectInbox lists what was accepted and has no answer yet, oldest first, for administrators; more says that it is not all.
func (c *Administration) InspectInbox(ctx context.Context) (list []ops.Unanswered, more bool, err error) {
	var page struct {
		Messages []ops.Unanswered `json:"messages"`
		More     bool             `json:"more"`
	}
	err = c.do(ctx, http.MethodGet, "/api/inspect/inbox", url.Values{"limit": {strconv.Itoa(maxInbox)}}, nil, &page)
	return page.Messages, page.More, err
}

// Export copies all of a conversation to w, as jsonl or md.
func (c *Administration) Export(ctx context.Context, key chat.SessionKey, format string, w io.Writer) error {
	response, err := c.send(ctx, http.MethodGet, sessionPath(key, "/export"), url.Values{"format": {format}}, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(w, response.Body); err != nil {
		return fault.Errorf(fault.Unavailable, "the transcript broke off: %w", err)
	}
	return nil
}

// Imported says what was made of a transcript.
type Imported struct {
	Session chat.Session `json:"session"`
	Notes   []string     `json:"notes"` // what was left out
}

// Import makes a session of an exported conversation. Key and title may be empty.
func (c *Administration) Import(ctx context.Context, key chat.SessionKey, title string, transcript io.Reader) (Imported, error) {
	query := url.Values{}
	if key != "" {
		query.Set("key", string(key))
	}
	if title != "" {
		query.Set("title", title)
	}
	response, err := c.sendBody(ctx, http.MethodPost, "/api/sessions/import", query, transcript, "application/jsonl")
	if err != nil {
		return Imported{}, err
	}
	defer response.Body.Close()
	var out Imported
	return out, decode(response.Body, &out)
}
