package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/mention"
	"xbot/internal/client/cli/story"
)

const (
	pageSize  = 200             // messages that are loaded at once
	pageTurns = 50              // turns whose end is looked up for them
	tryAgain  = time.Second     // between attempts to reach a server that is away
	restart   = 3 * time.Second // how long the user's own server may be away when there is something to send
)

// What requests answer.
type (
	openedMsg struct {
		key     chat.SessionKey
		steered *steering // the action that wants it; nil: the person does
		story   *story.Story
		feed    *feed
		err     error
	}
	createdMsg struct {
		id      string // of the message that the session is made for
		session chat.Session
		err     error
	}
	readyMsg struct {
		id      string // of the message whose files are where the agent can read them
		message mention.Message
		err     error
	}
	sentMsg struct {
		id       string
		accepted apiclient.Accepted
		err      error
	}
	retryMsg   struct{ id string }           // send again
	reopenMsg  struct{ key chat.SessionKey } // open again
	restopMsg  struct{ turn chat.TurnID }    // stop again
	startedMsg struct {
		id  string // of the message that is to be sent then; may be empty
		err error
	}
	progress   string
	stoppedMsg struct {
		turn chat.TurnID
		err  error
	}
	olderMsg struct {
		story      *story.Story
		transcript apiclient.Transcript
		err        error
	}
	renamedMsg struct{ err error }
	servedMsg  struct {
		commands []apiclient.Command
		err      error
	}
	listedMsg struct {
		sessions []chat.Session
		err      error
		resume   bool // open the newest rather than showing the list
	}
)

// answered takes in what a request or the feed brought.
func (m *model) answered(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case feedMsg:
		return m.told(msg)
	case openedMsg:
		return m.opened(msg)
	case createdMsg:
		return m.created(msg)
	case sentMsg:
		return m.sent(msg)
	case retryMsg:
		if msg.id == m.sending {
			m.sending = ""
			return m.send()
		}
	case reopenMsg:
		if msg.key == m.wanted {
			return m.openSession(msg.key)
		}
	case restopMsg:
		if m.running() && m.story.Turn.ID == msg.turn {
			return m.stop()
		}
	case startedMsg:
		return m.started(msg)
	case progress:
		m.reason = string(msg)
	case answeredMsg:
		m.answerTaken(msg)
	case tasksMsg:
		m.tasksHeard(msg)
	case killedMsg:
		m.killHeard(msg)
	case uploadedMsg:
		m.uploaded(msg)
	case downloadedMsg:
		m.downloaded(msg)
	case stoppedMsg:
		return m.stopHeard(msg)
	case olderMsg:
		m.prepend(msg)
	case listedMsg:
		return m.listed(msg)
	case servedMsg:
		m.knowCommands(msg)
	case placeMsg:
		m.placed(msg)
	case foundMsg:
		m.found(msg)
	case readyMsg:
		return m.ready(msg)
	case namesMsg:
		m.knowNames(msg)
	case pictureMsg:
		return m.given(msg)
	case renamedMsg:
		m.renamed(msg)
	default:
		return m.settingsHeard(msg)
	}
	return nil
}

func (m *model) renamed(msg renamedMsg) {
	if msg.err != nil {
		m.complain("Not renamed: " + msg.err.Error())
	}
}
