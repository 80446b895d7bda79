package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/story"
	"xbot/internal/client/cli/text"
	"xbot/internal/fault"
	"xbot/internal/turn/command"
)

// about is a slash command as the help shows it.
type about struct {
	name, args, does string
	aliases          []string
}

// is reports whether a name, in lower case, means this command.
func (c about) is(name string) bool { return c.name == name || slices.Contains(c.aliases, name) }

// begins reports whether one of the command's names begins so.
func (c about) begins(typed string) bool {
	return strings.HasPrefix(c.name, typed) || slices.ContainsFunc(c.aliases, func(alias string) bool { return strings.HasPrefix(alias, typed) })
}

// own are the commands that the client carries out.
var own = []about{
	{name: "new", does: "start another session"},
	{name: "sessions", args: "[text]", does: "list the sessions and open one"},
	{name: "resume", does: "open the newest other session"},
	{name: "rename", args: "title", does: "give this session a title"},
	{name: "tasks", does: "list the background tasks"},
	{name: "kill", args: "bg1", does: "kill a background task"},
	{name: "upload", args: "file", does: "send a file to where the commands run"},
	{name: "download", args: "path [to]", does: "fetch a file from there"},
	{name: "settings", args: "[name value]", does: "show what is set for you, and change it"},
	{name: "share", args: "[days|list|revoke N]", does: "make a link by which anybody reads this session"},
	{name: "wide", does: "let texts use the whole width, or no longer"},
	{name: "stop", does: "stop the answer"},
	{name: "help", does: "show this"},
	{name: "quit", does: "leave; the conversation stays on the server"},
}

// commands returns those of the client and, once they are known, those of the server, which cannot take a name of the client.
func (m *model) commands() []about {
	all := slices.Clone(own)
	for _, c := range m.served {
		if c.Who == "admin" && m.o.Me.User.Role != "admin" {
			continue
		}
		if !slices.ContainsFunc(own, func(mine about) bool { return mine.name == c.Name }) {
			all = append(all, about{name: text.Line(c.Name), args: text.Line(c.Args), does: text.Line(c.Help["en"]), aliases: c.Aliases})
		}
	}
	return all
}

// usual are the commands that a server is assumed to carry out until it has listed them.
var usual = []string{"approve", "deny", "runner", "context", "usage", "compact", "compress", "rewind", "fork"}

func (m *model) isServed(name string) bool {
	if m.served == nil {
		return slices.Contains(usual, name)
	}
	return slices.ContainsFunc(m.served, func(c apiclient.Command) bool { return c.Is(name) })
}

// askCommands asks the server which commands it carries out.
func (m *model) askCommands() tea.Cmd {
	return request(m, m.o.Client.ListCommands, func(served []apiclient.Command, err error) {
		m.served = served
		if fault.Is(err, fault.NotFound) { // a server that is too old to say knows these
			m.served = []apiclient.Command{{Name: "approve"}, {Name: "deny"}, {Name: "runner"}}
		}
	})
}

// slashless cuts the slash that a command begins with, also that of Chinese input methods.
func slashless(typed string) (rest string, slashed bool) {
	if rest, slashed = strings.CutPrefix(typed, "/"); slashed {
		return rest, true
	}
	return strings.CutPrefix(typed, "／")
}

// matching returns the commands that begin with what is typed, as long as only a name is typed.
func (m *model) matching(typed string) []about {
	name, slashed := slashless(typed)
	if !slashed || strings.ContainsAny(name, " \n\t/") {
		return nil
	}
	var found []about
	for _, c := range m.commands() {
		if c.begins(strings.ToLower(name)) {
			found = append(found, c)
		}
	}
	return found
}

// command carries out a typed command; done is false for a message that is none.
func (m *model) command(typed string) (cmd tea.Cmd, done bool) {
	c, ok := command.Parse(typed)
	if !ok {
		return nil, false
	}
	if c.Name == "new" && c.Args != "" && m.isServed("new") {
		return nil, false // the server restarts this session with them
	}
	if c.Name == "settings" && c.Args != "" && m.isServed("settings") {
		return nil, false // the server sets it
	}
	switch c.Name {
	case "new":
		return m.newSession(), true
	case "settings":
		return m.askSettings(nil), true
	case "sessions":
		return m.list(c.Args, false), true
	case "resume":
		return m.list("", true), true
	case "rename":
		return m.rename(c.Args), true
	case "tasks":
		return m.listTasks(), true
	case "kill":
		return m.killTask(c.Args), true
	case "upload":
		return m.upload(c.Args), true
	case "download":
		return m.download(c.Args), true
	case "share":
		return m.share(c.Args), true
	case "wide":
		m.column.wide = !m.column.wide
		m.column.forget()
		m.redraw()
	case "stop":
		return m.stop(), true
	case "help":
		m.help = true
	case "quit", "exit":
		return tea.Quit, true
	default:
		if m.isServed(c.Name) {
			return nil, false // it is sent like a message
		}
		m.complain("There is no command /" + c.Name + "; /help lists what there is.")
	}
	return nil, true
}

// newSession leaves the open session; the new one is made with its first message.
func (m *model) newSession() tea.Cmd {
	m.close()
	m.say("A new session begins with your first message.")
	m.takeBack()
	session := chat.Session{}
	m.conversation = conversation{session: session, place: m.place, story: story.New(session, apiclient.Transcript{})}
	m.follow = true
	m.column.forget()
	m.redraw()
	return m.askPlace()
}

func (m *model) rename(title string) tea.Cmd {
	switch {
	case title == "":
		m.complain("Give a title: /rename Fix the build")
		return nil
	case m.session.Key == "":
		m.complain("The session has no message yet.")
		return nil
	}
	key := m.session.Key
	return request(m, func(ctx context.Context) (any, error) {
		return m.o.Client.UpdateSession(ctx, key, apiclient.Change{Title: new(title)})
	}, m.complaining("Not renamed: ")) // the new title comes with the feed
}

// list asks for the sessions, to choose from or to open the newest other one.
func (m *model) list(text string, resume bool) tea.Cmd {
	among := apiclient.ListSessionsParams{Q: text}
	if text != "" { // who looks for one finds what is out of the list, too
		among.Shelf = "all"
	}
	return requestThen(m, func(ctx context.Context) ([]chat.Session, error) {
		return m.o.Client.ListSessions(ctx, among)
	}, func(sessions []chat.Session, err error) tea.Cmd {
		switch {
		case err != nil:
			m.complain("Sessions: " + err.Error())
		case resume:
			return m.resume(sessions)
		case len(sessions) == 0:
			m.say("There is no such session.")
		default:
			m.picker = &picker{all: sessions, current: m.session.Key}
		}
		return nil
	})
}

func (m *model) resume(sessions []chat.Session) tea.Cmd {
	var newest chat.Session
	for _, session := range sessions {
		if session.Key != m.session.Key && session.UpdatedAt.After(newest.UpdatedAt) {
			newest = session
		}
	}
	if newest.Key == "" {
		m.say("There is no other session.")
		return nil
	}
	return m.switchTo(newest.Key)
}

// switchTo opens another session.
func (m *model) switchTo(key chat.SessionKey) tea.Cmd {
	m.takeBack()
	return m.openSession(key)
}
