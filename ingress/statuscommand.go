package ingress

import (
	"cmp"
	"context"
	"strings"
	"time"

	"xbot/ingress/wake"
	"xbot/internal/chat"
	"xbot/internal/contextview"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/markdown"
	"xbot/internal/store"
)

// Statuses tells how a conversation and its person stand.
type Statuses struct {
	Store    *store.Store
	Contexts *contextview.Viewer
	Policies Policies
	Fleet    *Fleet
	Version  string
	Started  time.Time // when this process started
	// Run returns the address of a run in the Temporal UI; empty where there is none.
	Run func(workflow, run string) string
}

// Commands returns /status, /whoami and /version.
func (s *Statuses) Commands() []Command {
	return []Command{
		{Name: "status", Help: i18n.HelpStatus, Group: GroupYou, Inline: true, Run: s.status},
		{Name: "whoami", Help: i18n.HelpWhoami, Group: GroupYou, Inline: true, Run: s.whoami},
		{Name: "version", Help: i18n.HelpVersion, Group: GroupServer, Run: func(context.Context, Inbound, string) (string, error) {
			return "xbot " + s.Version, nil
		}},
	}
}

func (s *Statuses) status(ctx context.Context, in Inbound, _ string) (string, error) {
	session, owner, err := s.Store.Session(ctx, in.Session)
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
		i18n.Say(in.Lang, i18n.StatusVerbose, level(session.Verbose)),
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
	lines = append(append(lines, work...), place,
		i18n.Say(in.Lang, i18n.StatusSession, markdown.Quoted(string(session.Key)), session.Agent),
		i18n.Say(in.Lang, i18n.StatusChannel, channelOf(session)),
		i18n.Say(in.Lang, i18n.StatusServer, s.Version, time.Since(s.Started).Round(time.Second)))
	return "* " + strings.Join(lines, "\n* "), nil
}

// maxPlaceName bounds the name of a group, which strangers chose, in characters.
const maxPlaceName = 60

// channelOf names the channel of a conversation and, of a group, which one.
func channelOf(session chat.Session) string {
	if session.ChatType == chat.ChatDirect || session.Origin.Label == "" {
		return markdown.Quoted(session.Channel)
	}
	return markdown.Quoted(session.Channel) + ", " + markdown.Quoted(chat.FirstWords(session.Origin.Label, maxPlaceName))
}

// work says what runs. Only administrators may look into Temporal.
func (s *Statuses) work(ctx context.Context, in Inbound, session chat.Session) ([]string, error) {
	w, err := store.Work{}, error(nil)
	if session.Running != "" {
		w, err = s.Store.WorkOf(ctx, session.Running)
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
	user, err := s.Store.UserByID(ctx, in.User)
	if err != nil || !user.Admin {
		return []string{line}, err
	}
	workflow, _, err := wake.WorkflowOf(ctx, s.Store, session.Key)
	if err != nil {
		return nil, err
	}
	at := s.Run(workflow, w.Run)
	if at == "" {
		return []string{line}, nil
	}
	return []string{line, i18n.Say(in.Lang, i18n.StatusTemporal, at)}, nil
}

// place says where the conversation's commands run. Nobody is asked whether the runner answers.
func (s *Statuses) place(ctx context.Context, lang i18n.Lang, session chat.Session, owner chat.UserID) (string, error) {
	runner := session.Runner
	if runner == "" {
		var err error
		if runner, err = s.Fleet.Here(ctx, owner); err != nil {
			return "", err
		}
	}
	if runner == "" {
		return i18n.Say(lang, i18n.StatusNowhere), nil
	}
	return i18n.Say(lang, i18n.StatusRunner, markdown.Quoted(runner), markdown.Quoted(cmp.Or(chat.FolderOn(session.Cwd, session.CwdRunner, runner), "."))), nil
}

func (s *Statuses) whoami(ctx context.Context, in Inbound, _ string) (string, error) {
	user, err := s.Store.UserByID(ctx, in.User)
	if err != nil {
		return "", err
	}
	_, owner, err := s.Store.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	known, err := s.Store.IdentitiesOf(ctx, in.User)
	if err != nil {
		return "", err
	}
	role := i18n.WhoamiMember
	if user.Admin {
		role = i18n.WhoamiAdmin
	}
	lines := []string{
		i18n.Say(in.Lang, i18n.WhoamiUser, markdown.Quoted(user.Name), i18n.Say(in.Lang, role)),
		i18n.Say(in.Lang, i18n.WhoamiChannel, markdown.Quoted(strings.TrimSuffix(in.Channel+":"+in.Account, ":"))),
	}
	if len(known) > 0 {
		for i := range known {
			known[i] = markdown.Quoted(known[i])
		}
		lines = append(lines, i18n.Say(in.Lang, i18n.WhoamiIdentities, strings.Join(known, ", ")))
	}
	if owner == in.User {
		lines = append(lines, i18n.Say(in.Lang, i18n.WhoamiOwner))
	}
	return i18n.Row(in.Lang, lines...), nil
}
