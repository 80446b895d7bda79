package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/text"
)

// panel is the list of the user's settings in front of the conversation, or the values of one of them.
type panel struct {
	all  []apiclient.Setting
	at   int
	open bool // the values of the setting are shown
	on   int  // the value that the arrows are at
	said string
}

// settingsMsg brings the settings.
type settingsMsg struct {
	steered  *steering // the action that wants the panel; nil: the user does
	settings []apiclient.Setting
	err      error
}

// askSettings reads the settings to open the panel, or what it shows again; steered is the action that wants it, if one does.
func (m *model) askSettings(steered *steering) tea.Cmd {
	client := m.o.Client
	return m.do(func(ctx context.Context) tea.Msg {
		body, err := client.ListPreferences(ctx, apiclient.ListPreferencesParams{})
		return settingsMsg{steered: steered, settings: body.Settings, err: err}
	})
}

func (m *model) showSettings(msg settingsMsg) tea.Cmd {
	if a := msg.steered; a != nil {
		switch {
		case msg.err != nil || m.session.Key != a.from || m.occupied() || time.Since(a.receivedAt) > actionLasts:
			return m.outcome(*a, notNow)
		case len(msg.settings) == 0:
			return m.outcome(*a, notFound)
		}
		m.panel = &panel{all: msg.settings}
		return m.outcome(*a, "")
	}
	switch {
	case msg.err != nil:
		m.complain("Settings: " + msg.err.Error())
	case len(msg.settings) == 0:
		m.say("This server has no settings to choose.")
	default:
		m.panel = &panel{all: msg.settings}
	}
	return nil
}

// settle takes a key while the panel is open. Enter opens a setting, then chooses a value; esc goes back.
func (m *model) settle(msg tea.KeyPressMsg) tea.Cmd {
	p := m.panel
	step := 0
	switch msg.String() {
	case "up", "ctrl+p", "k":
		step = -1
	case "down", "ctrl+n", "j":
		step = 1
	case "esc", "left":
		if !p.open {
			m.panel = nil
		}
		p.open = false
	case "q":
		m.panel = nil
	case "enter", "right":
		return m.takeSetting()
	}
	if p.open {
		p.on = max(min(p.on+step, len(p.all[p.at].Options)-1), 0)
	} else if step != 0 {
		p.at, p.said = max(min(p.at+step, len(p.all)-1), 0), ""
	}
	return nil
}

// takeSetting opens the setting that the arrows are at, or sets the value.
func (m *model) takeSetting() tea.Cmd {
	p := m.panel
	set := p.all[p.at]
	if !p.open {
		p.open, p.on, p.said = len(set.Options) > 0, 0, ""
		for i, o := range set.Options {
			if o.Value == set.Value {
				p.on = i
			}
		}
		return nil
	}
	p.open = false
	name, value := set.Name, set.Options[p.on].Value
	return request(m, func(ctx context.Context) (apiclient.Setting, error) {
		return m.o.Client.SetPreference(ctx, name, value)
	}, m.settled)
}

// settled shows what has become of a choice.
func (m *model) settled(set apiclient.Setting, err error) {
	if err != nil {
		m.complain("Settings: " + err.Error())
		return
	}
	said := text.Line(set.Title + ": " + set.Shown + ".")
	if m.panel == nil {
		m.say(said)
		return
	}
	for i, known := range m.panel.all {
		if known.Name == set.Name {
			m.panel.all[i] = set
		}
	}
	m.panel.said = said
}

// lines draws the panel in a height.
func (p *panel) lines(t theme, width, height int) []string {
	head, foot := "  Settings", "  ↑ ↓ choose · enter changes · esc closes"
	var rows []string
	at := p.at
	if p.open {
		set := p.all[p.at]
		head, foot, at = "  "+text.Line(set.Title), "  ↑ ↓ choose · enter takes · esc goes back", p.on
		if set.Free {
			foot += " · others: /settings " + text.Line(set.Name) + " VALUE"
		}
		for _, o := range set.Options {
			mark := ""
			if o.Value == set.Value {
				mark = "now"
			}
			rows = append(rows, spread("  "+text.Line(o.Title), mark, min(width-4, maxColumn)))
		}
	} else {
		for _, set := range p.all {
			rows = append(rows, spread("  "+text.Line(set.Title), text.Line(set.Shown), min(width-4, maxColumn)))
		}
	}
	out := []string{t.bold.Render(head), ""}
	first, end := window(at, len(rows), max(height-len(out)-3, 1))
	for i := first; i < end; i++ {
		if i == at {
			out = append(out, t.accent.Render("›"+rows[i][1:]))
		} else {
			out = append(out, rows[i])
		}
	}
	return append(out, "", t.accent.Render("  "+p.said), t.dim.Render(foot))
}
