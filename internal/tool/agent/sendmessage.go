package agent

import (
	"context"
	_ "embed"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

//go:embed sendmessage.md
var sendDoc string

type sendParams struct {
	To      string `json:"to"`
	Message string `json:"message"`
}

type sender struct {
	handler
	rooms GroupChats
}

// NewSendMessage returns the tool SendMessage.
func NewSendMessage(store Subagents, roles Roles, rooms GroupChats) tool.Tool {
	return tool.Define("SendMessage", chat.ClassAgent, sendDoc, sender{handler{store, roles}, rooms})
}

func (sender) Summary(p sendParams) string { return p.To + ": " + p.Message }

// Run sends a message. Of one to an agent the result is its answer.
func (s sender) Run(ctx context.Context, call tool.Call, p sendParams) (chat.ToolResult, error) {
	p.Message = strings.TrimSpace(p.Message)
	kind, rest, _ := strings.Cut(strings.TrimSpace(p.To), ":")
	var out chat.ToolResult
	var err error
	switch {
	case p.Message == "":
		err = fault.Errorf(fault.Invalid, "message is empty")
	case kind == "agent" && strings.Count(rest, ":") < 2 && rest != "":
		out, err = s.agent(ctx, call, rest, p.Message)
	case kind == "group":
		out, err = s.group(ctx, call, chat.GroupID(rest), p.Message)
	case kind == "session" || kind == "peer":
		out, err = s.peer(ctx, call, chat.SessionKey(rest), p.Message)
	default:
		err = fault.Errorf(fault.Invalid, "%.200q is no address: use agent:<role>:<instance>, group:<id> or session:<key>", p.To)
	}
	if err != nil {
		return tool.FromError(err)
	}
	return out, nil
}

func (s sender) agent(ctx context.Context, call tool.Call, name, message string) (chat.ToolResult, error) {
	who, instance, err := member(name)
	if err != nil {
		return chat.ToolResult{}, err
	}
	return s.assign(ctx, call, params{Action: "send", Role: who, Instance: instance, Task: message}, false)
}

func (s sender) group(ctx context.Context, call tool.Call, id chat.GroupID, message string) (chat.ToolResult, error) {
	if len(message) > chat.MaxGroupLine {
		return chat.ToolResult{}, fault.Errorf(fault.Invalid, "the message has %d bytes, at most %d are taken", len(message), chat.MaxGroupLine)
	}
	if err := s.rooms.SpeakInGroup(ctx, id, call.Session, call.ID, message); err != nil {
		return chat.ToolResult{}, err
	}
	return tool.Text("Said in group:" + string(id) + "."), nil
}

func (s sender) peer(ctx context.Context, call tool.Call, to chat.SessionKey, message string) (chat.ToolResult, error) {
	switch {
	case len(message) > chat.MaxPeerMessage:
		return chat.ToolResult{}, fault.Errorf(fault.Invalid, "the message has %d bytes, at most %d are taken", len(message), chat.MaxPeerMessage)
	case to == call.Session:
		return chat.ToolResult{}, fault.Errorf(fault.Invalid, "this is the conversation itself: say it here")
	}
	m := chat.PeerMessage{Call: call.ID, Turn: call.ID.Turn(), User: call.User, From: call.Session, To: to, Text: message}
	if err := s.rooms.SendPeer(ctx, m); err != nil {
		return chat.ToolResult{}, err
	}
	return tool.Text("Sent to session:" + string(to) + ". If it answers, a message comes."), nil
}
