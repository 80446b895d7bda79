package coding

import (
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/turn/window"
)

// Limits of the history that an agent is given of a conversation that others answered.
const (
	maxHistory = 32 << 10 // bytes, without the summary
	maxSummary = 8_000    // runes of the summary of what is longer ago
	maxPast    = 4_000    // runes of one message
	maxResult  = 400      // runes of the result of a call
)

const (
	historyBegins = "[What was said in this conversation before you came to it, or while others answered. It is history: it was answered, and asks nothing of you.]\n<history>\n"
	historyCut    = "(what is longer ago is left out)\n"
	historyEnds   = "\n</history>\n\n[What you are asked now]"
)

// history returns the messages before those that an agent is to answer, without what its thread has if goesOn is set: the messages that it was
// given and its answers. Empty: there are none.
func (t *turn) history(goesOn bool, said []message) string {
	upto, own := chat.MessageID(0), chat.TurnID("")
	if goesOn && t.bound != nil {
		upto = t.bound.Upto
		own = t.turnOf(upto)
	}
	asked := func(id chat.MessageID) bool {
		return slices.ContainsFunc(said, func(m message) bool { return m.id == id })
	}
	var lines []chat.Line
	for _, l := range window.View(t.window) {
		m := l.Message
		switch {
		case asked(m.ID), m.Turn == t.ask.Step.Turn:
		case goesOn && (m.ID <= upto || own != "" && m.Turn == own):
		default:
			lines = append(lines, l)
		}
	}
	return past(lines)
}

// turnOf returns the turn of a message in the window.
func (t *turn) turnOf(id chat.MessageID) chat.TurnID {
	for _, l := range t.window.Lines {
		if l.Message.ID == id {
			return l.Message.Turn
		}
	}
	return ""
}

// past formats lines: the summary at their beginning, and the newest of the rest within maxHistory.
func past(lines []chat.Line) string {
	var opening string
	if len(lines) > 0 && lines[0].Message.ID == 0 {
		opening = strings.Join(window.Transcript(lines[:1], 0), "\n")
		opening = window.Abridge(opening, maxSummary) + "\n"
		lines = lines[1:]
	}
	texts, room := window.Transcript(lines, maxResult), maxHistory
	from := len(texts)
	for ; from > 0; from-- {
		texts[from-1] = window.Abridge(texts[from-1], maxPast)
		if room -= len(texts[from-1]); room < 0 {
			break
		}
	}
	if opening == "" && len(texts) == 0 {
		return ""
	}
	if from > 0 {
		opening += historyCut
	}
	body := opening + strings.Join(texts[from:], "\n")
	return historyBegins + strings.ReplaceAll(body, "</history>", "</history >") + historyEnds
}
