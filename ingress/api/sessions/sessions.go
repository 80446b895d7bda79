package sessions

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/session"
)

const (
	// webChannel is the channel of sessions that are created here without a key.
	webChannel = "web"
	// sessionLimit bounds one listing.
	sessionLimit = 500
)

// ownChannels are the channels whose sessions clients of the API may name.
var ownChannels = []string{webChannel, "cli", "api"}

// shelves are the accepted filters of a listing.
var shelves = map[string][]chat.ListState{
	"listed": {chat.Listed}, "archived": {chat.Archived}, "oneshots": {chat.OneShots}, "all": {chat.Listed, chat.Archived, chat.OneShots},
}

type sessionBody struct{ Body chat.Session }

// NewSession asks for a session.
type NewSession struct {
	Key   chat.SessionKey `json:"key,omitempty" maxLength:"200" doc:"Default: a new key. If it names an existing session of yours, the response is that session, unchanged."`
	Title string          `json:"title,omitempty" maxLength:"200"`
	Agent string          `json:"agent,omitempty" maxLength:"64" doc:"Which of the installation's agents answers; default: that of the key, else the usual one."`
	Shelf chat.ListState  `json:"shelf,omitempty" enum:"oneshots" doc:"oneshots: a conversation for one question of a script, hidden from the list."`
	Cwd   string          `json:"cwd,omitempty" maxLength:"4096" doc:"Folder where the session's tools start; default: the agent's, else the runner's workspace."`
}

func (a *Endpoints) registerSessions(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "create-session", Method: http.MethodPost, Path: "/api/sessions", Summary: "Create a session", DefaultStatus: http.StatusCreated, Security: endpoint.Secured},
		func(ctx context.Context, in *struct{ Body NewSession }) (*sessionBody, error) {
			s, err := a.Create(ctx, in.Body)
			return &sessionBody{s}, err
		})
	huma.Register(h, huma.Operation{OperationID: "list-sessions", Method: http.MethodGet, Path: "/api/sessions", Summary: "List my sessions, pinned first, newest first", Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			Q     string `query:"q" maxLength:"200" doc:"Part of the title."`
			Shelf string `query:"shelf" enum:"listed,archived,oneshots,all" default:"listed" doc:"listed: those that are neither archived nor one-shots of a terminal."`
		}) (*struct {
			Body struct {
				Sessions []chat.Session `json:"sessions"`
			}
		}, error) {
			out := &struct {
				Body struct {
					Sessions []chat.Session `json:"sessions"`
				}
			}{}
			var err error
			out.Body.Sessions, err = a.List(ctx, in.Q, sessionLimit, shelves[in.Shelf]...)
			return out, err
		})
	huma.Register(h, huma.Operation{OperationID: "get-session", Method: http.MethodGet, Path: "/api/sessions/{key}", Summary: "Get a session", Security: endpoint.Secured},
		func(ctx context.Context, in *endpoint.Key) (*sessionBody, error) {
			s, err := a.Readable(ctx, in.Key)
			return &sessionBody{s}, err
		})
	a.registerChanges(h)
}

// registerChanges has the endpoints by which users change a session.
func (a *Endpoints) registerChanges(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "update-session", Method: http.MethodPatch, Path: "/api/sessions/{key}", Summary: "Rename, pin or archive a session, or change how it is answered", Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			endpoint.Key
			Body Change
		}) (*sessionBody, error) {
			if _, err := a.Own(ctx, in.Key.Key); err != nil {
				return nil, err
			}
			if err := a.change(ctx, in.Key.Key, in.Body); err != nil {
				return nil, a.Problem(err)
			}
			s, err := a.Own(ctx, in.Key.Key)
			return &sessionBody{s}, err
		})
	huma.Register(h, huma.Operation{OperationID: "delete-session", Method: http.MethodDelete, Path: "/api/sessions/{key}", Summary: "Delete a session with all its messages; administrators may delete those of groups and other users", DefaultStatus: http.StatusNoContent, Security: endpoint.Secured},
		func(ctx context.Context, in *endpoint.Key) (*struct{}, error) {
			s, mine, err := a.deletable(ctx, in.Key)
			if err != nil {
				return nil, err
			}
			if mine { // an administrator cannot stop the work of others there: it ends with the conversation
				if err := a.atRest(ctx, s); err != nil {
					return nil, a.Problem(err)
				}
			}
			return nil, a.Problem(a.Agents.DeleteSession(ctx, s.Key))
		})
}

// deletable returns a session that the user may delete: their own, and for administrators any, since groups and users on platforms
// cannot sign in to delete theirs.
func (a *Endpoints) deletable(ctx context.Context, key chat.SessionKey) (s chat.Session, mine bool, err error) {
	parsed, err := session.Parse(key)
	if err != nil {
		return s, false, a.Problem(err)
	}
	s, owner, err := a.Conversations.Session(ctx, key)
	who := auth.User(ctx)
	if err == nil && who.Admin && policy.IsService(parsed.Agent) { // its user goes with it, and its files
		err = fault.Errorf(fault.Denied, "this conversation is a consumer's: delete it at its service, with DELETE /api/services/%s/conversations/{id}", parsed.Agent)
	}
	if mine = owner == who.ID; err == nil && !mine && !who.Admin {
		err = fault.Errorf(fault.NotFound, "there is no session %q", key)
	}
	return s, mine, a.Problem(err)
}

// atRest returns Conflict if something still runs in a session.
func (a *Endpoints) atRest(ctx context.Context, s chat.Session) error {
	if s.Running != "" {
		return fault.Errorf(fault.Conflict, "a turn is running in this session; stop it first")
	}
	tasks, err := a.Calls.TasksRunning(ctx, s.Key)
	if err == nil && tasks > 0 {
		err = fault.Errorf(fault.Conflict, "a background task is running in this session; kill it first")
	}
	return err
}

// List returns at most limit of the user's sessions whose title holds q, pinned ones first, then by last interaction. Without a shelf it is
// those of the list.
func (a *Endpoints) List(ctx context.Context, q string, limit int, shelves ...chat.ListState) ([]chat.Session, error) {
	q = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(q)
	found, err := a.Conversations.Sessions(ctx, auth.User(ctx).ID, q, limit, shelves...)
	return found, a.Problem(err)
}

// Create creates a session of the user, or finds the one of that key. It is a Conflict where the user has as many as they may.
func (a *Endpoints) Create(ctx context.Context, in NewSession) (chat.Session, error) {
	if in.Key != "" {
		parsed, err := session.Parse(in.Key)
		if err != nil {
			return chat.Session{}, a.Problem(err)
		}
		if err := mayName(parsed.Channel); err != nil {
			return chat.Session{}, a.Problem(err)
		}
	}
	return a.Begin(ctx, in)
}

// Begin is Create for xbot's own protocols, which choose the key, on channels that clients may not name.
func (a *Endpoints) Begin(ctx context.Context, in NewSession) (chat.Session, error) {
	key, channel := in.Key, webChannel
	var parsed session.Key
	if key != "" {
		var err error
		if parsed, err = session.Parse(key); err != nil {
			return chat.Session{}, a.Problem(err)
		}
		channel = parsed.Channel
	}
	agent, err := a.agentOf(ctx, in.Agent, parsed)
	if err != nil {
		return chat.Session{}, a.Problem(err)
	}
	if key == "" {
		key = session.Thread(agent.ID, webChannel, strings.ToLower(rand.Text()[:12]))
	}
	user := auth.User(ctx)
	made := conversation.NewSession{
		Key: key, Owner: user.ID, Channel: channel, Title: in.Title, Shelf: in.Shelf, Cwd: cmp.Or(in.Cwd, agent.Workspace), Agent: agent.ID,
		Origin: chat.Origin{Label: user.Name, Provider: channel, From: strconv.FormatInt(int64(user.ID), 10), To: string(key), Name: user.Name},
	}
	if made.Cwd != "" {
		if made.CwdRunner, err = a.Runners.Here(ctx, made.Owner); err != nil {
			return chat.Session{}, a.Problem(err)
		}
	}
	if _, err = a.Conversations.CreateSession(ctx, made); err != nil {
		return chat.Session{}, a.Problem(err)
	}
	return a.Own(ctx, key)
}
