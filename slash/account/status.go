package account

import (
	"cmp"
	"context"
	"strings"
	"time"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/codingagent/agents"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/contextview"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/slashcommand"
)

// Contexts shows how full the contexts of conversations are.
type Contexts interface {
	Of(ctx context.Context, s chat.Session) (contextview.Context, error)
}

// Policies is the policy document in force.
type Policies interface {
	Get(ctx context.Context) (*policy.Policy, error)
}

// Runners finds the runners of users.
type Runners interface {
	// Here returns the runner that a user's commands go to now; empty if there is none.
	Here(ctx context.Context, user chat.UserID) (string, error)
}

// Runs know the addresses of runs in the Temporal UI.
type Runs interface {
	// RunURL returns the address of a run of the turns of a conversation; empty where there is no UI.
	RunURL(ctx context.Context, key chat.SessionKey, run string) (string, error)
}

// Status is /status: the state of a conversation.
type Status struct {
	CodingAgents  CodingAgents
	Conversations Conversations
	Turns         Turns
	Users         Users
	Contexts      Contexts
	Policies      Policies
	Runners       Runners
	Runs          Runs
	Version       string
	Started       time.Time // when this process started
}

var _ slashcommand.Runner = Status{}

// Spec describes the command.
func (Status) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "status", Help: i18n.HelpStatus, Group: slashcommand.GroupYou, Inline: true}
}

// Run returns the state.
func (s Status) Run(ctx context.Context, in slashcommand.Request, _ string) (string, error) {
	session, owner, err := s.Conversations.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	c, err := s.Contexts.Of(ctx, session)
	if err != nil {
		return "", err
	}
	p, err := s.Policies.Get(ctx)
	if err != nil {
		return "", err
	}
	level := func(chosen string) string { return cmp.Or(chosen, i18n.Say(in.Lang, i18n.StatusDefault)) }
	q := p.Queue(session.Channel, session.ChatType, session.Queue)
	lines := []string{
		i18n.Say(in.Lang, i18n.StatusModel, markdown.Quoted(cmp.Or(session.Model, c.Model))),
		i18n.Say(in.Lang, i18n.StatusThink, level(session.Think)),
		i18n.Say(in.Lang, i18n.StatusVerbose, cmp.Or(session.Verbose, chat.VerboseOff)), // as /verbose shows
		i18n.Say(in.Lang, i18n.StatusContext, markdown.Tokens(int64(c.Used)), markdown.Tokens(int64(c.MaxContext)), c.Used*100/max(1, c.MaxContext)),
		i18n.Say(in.Lang, i18n.StatusQueue, q.Mode, session.Queued, q.Cap),
	}
	work, err := s.work(ctx, in, session)
	if err != nil {
		return "", err
	}
	place, err := s.place(ctx, in.Lang, session, owner)
	if err != nil {
		return "", err
	}
	thread, err := s.thread(ctx, in)
	if err != nil {
		return "", err
	}
	lines = append(append(append(lines, work...), place), thread...)
	lines = append(lines,
		i18n.Say(in.Lang, i18n.StatusSession, markdown.Quoted(string(session.Key)), session.Agent),
		i18n.Say(in.Lang, i18n.StatusChannel, channelOf(session)),
		i18n.Say(in.Lang, i18n.StatusServer, s.Version, time.Since(s.Started).Round(time.Second)))
	return "* " + strings.Join(lines, "\n* "), nil
}

// maxPlaceName bounds the name of a group, which outsiders chose, in characters.
const maxPlaceName = 60

// channelOf names the channel of a conversation and, of a group, which one.
func channelOf(session chat.Session) string {
	if session.ChatType == chat.ChatDirect || session.Origin.Label == "" {
		return markdown.Quoted(session.Channel)
	}
	return markdown.Quoted(session.Channel) + ", " + markdown.Quoted(chat.FirstWords(session.Origin.Label, maxPlaceName))
}

// work describes the running work. Only administrators may look into Temporal.
func (s Status) work(ctx context.Context, in slashcommand.Request, session chat.Session) ([]string, error) {
	w, err := engine.Work{}, error(nil)
	if session.Running != "" {
		w, err = s.Turns.WorkOf(ctx, session.Running)
	}
	switch {
	case session.Running == "" || fault.Is(err, fault.NotFound):
		return []string{i18n.Say(in.Lang, i18n.StatusIdle)}, nil
	case err != nil:
		return nil, err
	}
	line := i18n.Say(in.Lang, i18n.StatusWorking, max(1, w.Steps), time.Since(w.Started).Round(time.Second))
	if w.Tools != "" {
		line += i18n.Say(in.Lang, i18n.StatusTools, markdown.Quoted(w.Tools))
	}
	user, err := s.Users.UserByID(ctx, in.User)
	if err != nil || !user.Admin {
		return []string{line}, err
	}
	at, err := s.Runs.RunURL(ctx, session.Key, w.Run)
	if err != nil {
		return nil, err
	}
	if at == "" {
		return []string{line}, nil
	}
	return []string{line, i18n.Say(in.Lang, i18n.StatusTemporal, at)}, nil
}

// thread names the coding agent's thread that the conversation continues, and how a user continues it in a terminal.
func (s Status) thread(ctx context.Context, in slashcommand.Request) ([]string, error) {
	b, err := s.CodingAgents.CodingThread(ctx, in.Session)
	if err != nil || b == nil || b.Thread == "" {
		return nil, err
	}
	resume, err := agents.Resume(b.Agent, b.Thread)
	if err != nil {
		return nil, err
	}
	return []string{i18n.Say(in.Lang, i18n.StatusThread, b.Agent, markdown.Quoted(b.Thread), markdown.Quoted(b.Runner), markdown.Quoted(resume),
		markdown.Tokens(b.Usage.Input), markdown.Tokens(b.Usage.Output))}, nil
}

// place names the place where the conversation's commands run. It does not check whether the runner answers.
func (s Status) place(ctx context.Context, lang i18n.Lang, session chat.Session, owner chat.UserID) (string, error) {
	runner := session.Runner
	if runner == "" {
		var err error
		if runner, err = s.Runners.Here(ctx, owner); err != nil {
			return "", err
		}
	}
	if runner == "" {
		return i18n.Say(lang, i18n.StatusNowhere), nil
	}
	return i18n.Say(lang, i18n.StatusRunner, markdown.Quoted(runner), markdown.Quoted(cmp.Or(chat.FolderOn(session.Cwd, session.CwdRunner, runner), "."))), nil
}
