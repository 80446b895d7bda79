package hooks

import (
	"strconv"
	"strings"

	"xbot/internal/automation/hook"
	"xbot/internal/chat"
)

// hookEvent is an event about something that a turn has claimed.
type hookEvent struct {
	payload  hook.Payload
	messages []chat.MessageID
}

// hookEvents returns the events of the n-th claim of a turn: one for the messages of users, and one for each message of the product. The message to a
// subagent is its task.
func hookEvents(base hook.Payload, scene hook.Scene, n int, claimed []hook.Claimed) []hookEvent {
	var out []hookEvent
	var said []string
	var messages []chat.MessageID
	for _, c := range claimed {
		if a, ok := hookEventOf(base, scene, c); ok {
			out = append(out, a)
		} else if !chat.IsSystemOrigin(c.Origin) {
			said, messages = append(said, c.Text), append(messages, c.ID)
		}
	}
	if len(said) > 0 {
		p := base
		p.Event, p.Prompt = hook.UserPromptSubmit, strings.Join(said, "\n\n")
		p.ID = eventID(p.Turn+"/"+strconv.Itoa(n), p.Event)
		out = append(out, hookEvent{p, messages})
	}
	return out
}

// hookEventOf returns the event of something that no user wrote; ok is false where there is none.
func hookEventOf(p hook.Payload, scene hook.Scene, c hook.Claimed) (a hookEvent, ok bool) {
	switch {
	case scene.ChatType == chat.ChatSubagent:
		p.Event, p.Agent, p.Instance, p.Task = hook.SubAgentStart, scene.Role, scene.Instance, unlabelled(c.Text)
	case c.Origin == chat.OriginCron:
		p.Event, p.Message = hook.CronFired, unlabelled(c.Text)
		p.Job, _, _ = strings.Cut(c.Key, "@")
	case c.Origin == chat.OriginHook:
		p.Event, p.Body = hook.WebhookReceived, c.Text
		p.TriggerID, _, _ = strings.Cut(c.Key, "/")
	default:
		return hookEvent{}, false
	}
	p.ID = eventID(p.Turn+"/"+strconv.FormatInt(int64(c.ID), 10), p.Event)
	return hookEvent{p, []chat.MessageID{c.ID}}, true
}

// unlabelled returns the text of an internal message without its first line, which names its kind in brackets.
func unlabelled(text string) string {
	label, rest, ok := strings.Cut(text, "\n")
	if ok && strings.HasPrefix(label, "[") && strings.HasSuffix(label, "]") {
		return strings.TrimSpace(rest)
	}
	return text
}

// eventID returns the id of an event: after a crash the same event has the same id.
func eventID(about string, e hook.Event) string { return about + "/" + string(e) }

// countedID returns the id of an event that a step may have several of.
func countedID(turn chat.TurnID, step, n int) string {
	return string(turn) + "." + strconv.Itoa(step) + "." + strconv.Itoa(n)
}
