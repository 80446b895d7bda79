package tui

import (
	"context"
	"time"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/location"
	"xbot/internal/client/cli/mention"
	"xbot/internal/client/cli/story"
)

// model is the state of the screen. It is changed by Update only, in the program's one goroutine.
type model struct {
	o    Options
	tell func(tea.Msg)                               // hands a message to the program from another goroutine
	do   func(func(context.Context) tea.Msg) tea.Cmd // runs a request; its context ends with the program

	conversation
	reach
	look
	viewport
	menu
	overlay
	exitState
	gallery *gallery
	input   textarea.Model
	history past
	flash   flash
	acting  acting
}

// exitState is the state of an exit by Ctrl-C.
type exitState struct {
	armed       time.Time // of a Ctrl-C that may be followed by another
	interrupted bool      // by two of them
}

// overlay is the view open in front of the conversation.
type overlay struct {
	picker *picker // nil while it is not open
	panel  *panel  // of the settings; nil while it is not open
	search *search // in what was typed; nil while none is active
	help   bool
	tasks  bool        // the list of background tasks
	others []chat.Task // the other tasks of the list when it was asked for
	links  string      // the text about links to the session; empty: nothing
}

// conversation is the open session and the messages on their way to it.
type conversation struct {
	session chat.Session   // key empty: to be made with the first message
	place   location.Place // where its commands run
	story   *story.Story
	wanted  chat.SessionKey // the session that is to be open; one loaded for another is dropped
	opening bool
	feed    *feed             // of the open session; nil while none is
	heard   bool              // the feed is connected, or has reported that it cannot be
	outbox  []outgoingMessage // typed, not yet accepted by the server, in order
	sending string            // id of the message that is being sent, or waits for its next try; empty when none is
	stopped chat.TurnID       // the turn that was asked to stop
	older   bool              // older messages are on their way
}

// outgoingMessage is a message on its way to the server.
type outgoingMessage struct {
	id      string          // client message id
	session chat.SessionKey // that it was typed for; empty: the one that is made with it
	text    string
	ready   *mention.Message // what is sent, once its files are where the agent can read them
	waiting bool             // the server could not be reached; it is tried again
}

// reach is whether the server can be reached.
type reach struct {
	away     time.Time // since when it cannot; zero when it can
	reason   string    // why not, or what is done about it
	starting bool      // the user's own server is being started again

	served []apiclient.Command // the commands of the server; nil until it has sent them
}

// look is what the terminal is like.
type look struct {
	theme         theme
	dark, plain   bool // a dark background; no colours
	width, height int  // cells
}

// viewport is the part of the conversation that is visible.
type viewport struct {
	column   *column
	lines    []string // all of it
	offset   int      // of the first visible line
	follow   bool     // the newest line stays visible
	allTodos bool     // the whole to-do list is shown
	frontAt  int      // first visible line of what is open in front of the conversation
	ticking  bool     // a tick is on its way
	frame    int      // of what turns
}

// flash is one sentence about the last action. It goes away with the next key, and unless it is a complaint also after a while.
type flash struct {
	text  string
	bad   bool
	timed bool // its end is scheduled
}

// flashOverMsg ends the flash with this text.
type flashOverMsg string

const flashTime = 6 * time.Second

func newModel(ctx context.Context, o Options) *model {
	m := &model{
		o:            o,
		conversation: conversation{session: o.Session, story: story.New(o.Session, apiclient.Transcript{})},
		look:         look{dark: true, width: 80, height: 24},
		viewport:     viewport{follow: true},
		gallery:      newGallery(o.Pictures, o.Out),
		input:        newInput(),
		acting:       newActing(),
	}
	m.do = func(request func(context.Context) tea.Msg) tea.Cmd {
		return func() tea.Msg { return request(ctx) }
	}
	m.restyle()
	m.column.wide = o.Wide
	return m
}

// close ends what runs in the background.
func (m *model) close() {
	if m.feed != nil {
		m.feed.close()
	}
}

// Init asks the terminal for its colours and opens the session.
func (m *model) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, m.input.Focus(), m.openSession(m.session.Key), m.askCommands(), m.askPlace())
}

// Update changes the state by one message, and redraws the conversation if that changed it.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.update(msg)
	return m, tea.Batch(cmd, m.tick(), m.fade(), m.hang())
}

func (m *model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.relayout()
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.restyle()
	case tea.ColorProfileMsg:
		m.plain = msg.Profile <= colorprofile.ASCII
		m.gallery.coloured = msg.Profile >= colorprofile.TrueColor
		m.restyle()
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.edit(msg)
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case flashOverMsg:
		if m.flash.timed && m.flash.text == string(msg) {
			m.flash = flash{}
			m.redraw()
		}
	case tickMsg:
		m.ticking = false
		m.frame++
		m.redraw()
	case response:
		return msg()
	case feedMsg:
		return m.applyFeed(msg)
	case openedMsg:
		return m.opened(msg)
	case takenMsg:
		return m.taken(msg)
	case settingsMsg:
		return m.showSettings(msg)
	default:
		return m.edit(msg) // what the input field sends itself
	}
	return nil
}

// running reports whether a turn is at work.
func (m *model) running() bool { return m.story.Turn != nil }

// say shows one sentence below the conversation.
func (m *model) say(text string) { m.flash = flash{text: text} }

// complain shows one sentence about what went wrong.
func (m *model) complain(text string) { m.flash = flash{text: text, bad: true} }

// fade schedules the end of a flash that is no complaint.
func (m *model) fade() tea.Cmd {
	if m.flash.text == "" || m.flash.bad || m.flash.timed {
		return nil
	}
	m.flash.timed = true
	over := flashOverMsg(m.flash.text)
	return tea.Tick(flashTime, func(time.Time) tea.Msg { return over })
}

type tickMsg struct{}

// tickEvery is the interval of animation: short enough for a spinner, and for drawing the rest of a burst of deltas.
const tickEvery = 120 * time.Millisecond

// tick keeps the clock going while something on the screen moves, and only then.
func (m *model) tick() tea.Cmd {
	if m.ticking || !m.running() && m.away.IsZero() && !m.opening && len(m.outbox) == 0 {
		return nil
	}
	m.ticking = true
	return tea.Tick(tickEvery, func(time.Time) tea.Msg { return tickMsg{} })
}
