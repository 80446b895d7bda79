package apiclient

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/session"
)

// User is a person as the server knows them.
type User struct {
	ID   chat.UserID `json:"id"`
	Name string      `json:"name"`
	Role string      `json:"role"`
}

// Me is who is signed in, and what the server is.
type Me struct {
	User    User   `json:"user"`
	Model   string `json:"model"` // provider/model
	Version string `json:"version"`
	Demo    bool   `json:"demo"` // answers come from the stand-in model
}

// NewSession describes a session to make. All fields may be empty.
type NewSession struct {
	Title string          `json:"title,omitempty"`
	Key   chat.SessionKey `json:"key,omitempty"`
	Cwd   string          `json:"cwd,omitempty"`
	Agent string          `json:"agent,omitempty"`
}

// NewTerminalSession describes a new session of a terminal that works in the folder: the model is told where its answers are
// read, and the Temporal UI finds it under the channel cli.
func NewTerminalSession(folder string) NewSession {
	return NewSession{Key: session.Thread(session.DefaultAgent, "cli", strings.ToLower(rand.Text()[:12])), Cwd: folder}
}

// Accepted is the receipt of a message: it is committed, and will be claimed by a turn or end in a said outcome.
type Accepted struct {
	ID        chat.InboxID   `json:"id"`
	Duplicate bool           `json:"duplicate"`
	Mode      chat.QueueMode `json:"mode"`
	Position  int            `json:"position"` // in the queue, from 1; 0 where it waits for no turn
	Dropped   []chat.InboxID `json:"dropped"`  // messages that get no turn of their own because of it
}

// Page asks for a part of a transcript. The zero value asks for the newest messages.
type Page struct {
	After, Before chat.MessageID
	Limit         int // 1 to 500; 0 means the server's default
}

// Transcript is a part of a conversation as it was at one moment.
type Transcript struct {
	Messages []chat.Message `json:"messages"` // ascending
	Queued   []chat.Queued  `json:"queued"`
	Todos    []chat.Todo    `json:"todos"`
	Seq      int64          `json:"seq"` // the events after it are not in here
	HasMore  bool           `json:"has_more"`
}

// Stopped says what a stop reached.
type Stopped struct {
	Turn   chat.TurnID `json:"stopped"` // empty when nothing was running
	Queued int         `json:"queued"`
}

// Healthy reports whether the server answers at all; it needs no token.
func (c *Client) Healthy(ctx context.Context) error {
	return c.do(ctx, http.MethodGet, "/healthz", nil, nil, nil)
}

// Ready reports whether the server can take messages; it needs no token.
func (c *Client) Ready(ctx context.Context) error {
	return c.do(ctx, http.MethodGet, "/readyz", nil, nil, nil)
}

// Me returns who the token belongs to.
func (c *Client) Me(ctx context.Context) (Me, error) {
	var me Me
	return me, c.do(ctx, http.MethodGet, "/api/me", nil, nil, &me)
}

// CreateSession makes a session, or returns the one that has the given key.
func (c *Client) CreateSession(ctx context.Context, session NewSession) (chat.Session, error) {
	var made chat.Session
	return made, c.do(ctx, http.MethodPost, "/api/sessions", nil, session, &made)
}

// Sessions lists the user's sessions whose title holds the text: pinned ones first, then the newest.
func (c *Client) Sessions(ctx context.Context, text string) ([]chat.Session, error) {
	query := url.Values{}
	if text != "" {
		query.Set("q", text)
	}
	var list struct {
		Sessions []chat.Session `json:"sessions"`
	}
	return list.Sessions, c.do(ctx, http.MethodGet, "/api/sessions", query, nil, &list)
}

// Session returns one session.
func (c *Client) Session(ctx context.Context, key chat.SessionKey) (chat.Session, error) {
	var session chat.Session
	return session, c.do(ctx, http.MethodGet, sessionPath(key, ""), nil, nil, &session)
}

// DeleteSession deletes a session and all that was said in it.
func (c *Client) DeleteSession(ctx context.Context, key chat.SessionKey) error {
	return c.do(ctx, http.MethodDelete, sessionPath(key, ""), nil, nil, nil)
}

// Rename gives a session a title.
func (c *Client) Rename(ctx context.Context, key chat.SessionKey, title string) (chat.Session, error) {
	var session chat.Session
	return session, c.do(ctx, http.MethodPatch, sessionPath(key, ""), nil, map[string]string{"title": title}, &session)
}

// Send hands a message over once. The same client message id with the same text is the same message, so a Send whose
// outcome is unknown may be repeated.
func (c *Client) Send(ctx context.Context, key chat.SessionKey, clientMessageID, text string) (Accepted, error) {
	var accepted Accepted
	body := map[string]string{"client_message_id": clientMessageID, "text": text}
	return accepted, c.do(ctx, http.MethodPost, sessionPath(key, "/messages"), nil, body, &accepted)
}

// SendUntilAccepted repeats Send while the server cannot be reached or asks to wait, until ctx ends. Before each wait
// it calls waiting, if that is not nil.
func (c *Client) SendUntilAccepted(ctx context.Context, key chat.SessionKey, clientMessageID, text string, waiting func(error, time.Duration)) (Accepted, error) {
	pause := newBackoff()
	for {
		accepted, err := c.Send(ctx, key, clientMessageID, text)
		if err == nil || ctx.Err() != nil || !passes(err) {
			return accepted, err
		}
		wait := max(pause.NextBackOff(), fault.After(err))
		if waiting != nil {
			waiting(err, wait)
		}
		if err := sleep(ctx, wait); err != nil {
			return Accepted{}, err
		}
	}
}

// Messages returns a part of a transcript.
func (c *Client) Messages(ctx context.Context, key chat.SessionKey, page Page) (Transcript, error) {
	query := url.Values{}
	for name, value := range map[string]int64{"after": int64(page.After), "before": int64(page.Before), "limit": int64(page.Limit)} {
		if value > 0 {
			query.Set(name, strconv.FormatInt(value, 10))
		}
	}
	var transcript Transcript
	return transcript, c.do(ctx, http.MethodGet, sessionPath(key, "/messages"), query, nil, &transcript)
}

// Stop ends the running turn of a session, if there is one.
func (c *Client) Stop(ctx context.Context, key chat.SessionKey) (Stopped, error) {
	var stopped Stopped
	return stopped, c.do(ctx, http.MethodDelete, sessionPath(key, "/turn"), nil, nil, &stopped)
}

// EditQueued changes a message that waits. It is a Conflict once a turn has claimed it.
func (c *Client) EditQueued(ctx context.Context, key chat.SessionKey, id chat.InboxID, text string) error {
	return c.do(ctx, http.MethodPut, queuePath(key, id), nil, map[string]string{"text": text}, nil)
}

// RecallQueued takes a message or command back that waits. It is a Conflict once a turn has claimed it.
func (c *Client) RecallQueued(ctx context.Context, key chat.SessionKey, id chat.InboxID) error {
	return c.do(ctx, http.MethodDelete, queuePath(key, id), nil, nil, nil)
}

func queuePath(key chat.SessionKey, id chat.InboxID) string {
	return sessionPath(key, "/queue/"+strconv.FormatInt(int64(id), 10))
}

// Turns lists the newest turns of a session.
func (c *Client) Turns(ctx context.Context, key chat.SessionKey, limit int) ([]chat.Turn, error) {
	var list struct {
		Turns []chat.Turn `json:"turns"`
	}
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	return list.Turns, c.do(ctx, http.MethodGet, sessionPath(key, "/turns"), query, nil, &list)
}

// Subagents lists who works for a conversation, newest first.
func (c *Client) Subagents(ctx context.Context, key chat.SessionKey) ([]chat.Subagent, error) {
	var list struct {
		Subagents []chat.Subagent `json:"subagents"`
	}
	return list.Subagents, c.do(ctx, http.MethodGet, sessionPath(key, "/subagents"), nil, nil, &list)
}

// Tasks lists the background tasks of a session, newest first, without their output.
func (c *Client) Tasks(ctx context.Context, key chat.SessionKey) ([]chat.Task, error) {
	var list struct {
		Tasks []chat.Task `json:"tasks"`
	}
	return list.Tasks, c.do(ctx, http.MethodGet, sessionPath(key, "/tasks"), nil, nil, &list)
}

// AllTasks lists the background tasks of a session with the subagents, chats and runs of jobs that work for it.
func (c *Client) AllTasks(ctx context.Context, key chat.SessionKey) ([]chat.Task, error) {
	var list struct {
		Tasks []chat.Task `json:"tasks"`
	}
	return list.Tasks, c.do(ctx, http.MethodGet, sessionPath(key, "/tasks"), url.Values{"all": {"true"}}, nil, &list)
}

// Task returns one background task, with its output once it has ended.
func (c *Client) Task(ctx context.Context, key chat.SessionKey, id string) (chat.Task, error) {
	var task chat.Task
	return task, c.do(ctx, http.MethodGet, sessionPath(key, "/tasks/"+url.PathEscape(id)), nil, nil, &task)
}

// KillTask has a background task killed, as soon as its runner can be reached.
func (c *Client) KillTask(ctx context.Context, key chat.SessionKey, id string) (chat.Task, error) {
	var task chat.Task
	return task, c.do(ctx, http.MethodPost, sessionPath(key, "/tasks/"+url.PathEscape(id)+"/kill"), nil, nil, &task)
}
