package agent

import (
	"cmp"
	"context"
	_ "embed"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/role"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

//go:embed createchat.md
var createDoc string

// GroupChats keeps group chats, and what conversations send each other, durably. Errors that the model can mend are Denied, Conflict,
// NotFound or Invalid.
type GroupChats interface {
	OpenGroup(ctx context.Context, g chat.NewGroup) (chat.GroupID, error)
	SpeakInGroup(ctx context.Context, id chat.GroupID, from chat.SessionKey, call chat.CallID, text string) error
	SendPeer(ctx context.Context, p chat.PeerMessage) error
}

type chatParams struct {
	Type      string   `json:"type" jsonschema:"group, agent"`
	Members   []string `json:"members" jsonschema:"role or role:instance"`
	Topic     string   `json:"topic"`
	MaxRounds int      `json:"max_rounds,omitempty"`
}

type maker struct {
	handler
	rooms GroupChats
}

// NewCreateChat returns the tool CreateChat.
func NewCreateChat(store Subagents, roles Roles, rooms GroupChats) tool.Tool {
	return tool.Define("CreateChat", chat.ClassAgent, createDoc, maker{handler{store, roles}, rooms})
}

func (maker) Summary(p chatParams) string {
	return strings.Join(p.Members, ", ") + ": " + p.Topic
}

// Run makes the chat. That of one agent is a subagent with an instance, which is asked the topic.
func (m maker) Run(ctx context.Context, call tool.Call, p chatParams) (chat.ToolResult, error) {
	p.Topic = strings.TrimSpace(p.Topic)
	var out chat.ToolResult
	var err error
	switch {
	case p.Topic == "":
		err = fault.Errorf(fault.Invalid, "topic is missing: say all that the members need, they see nothing else")
	case len(p.Topic) > chat.MaxSubagentTask:
		err = fault.Errorf(fault.Invalid, "the topic has %d bytes, at most %d are taken: write the rest to a file and name it", len(p.Topic), chat.MaxSubagentTask)
	case p.Type == "agent":
		out, err = m.single(ctx, call, p)
	case p.Type == "group":
		out, err = m.group(ctx, call, p)
	default:
		err = fault.Errorf(fault.Invalid, "there is no type %q: there are group and agent", tool.Cut(p.Type, 40))
	}
	if err != nil {
		return tool.FromError(err)
	}
	return out, nil
}

func (m maker) single(ctx context.Context, call tool.Call, p chatParams) (chat.ToolResult, error) {
	if len(p.Members) != 1 {
		return chat.ToolResult{}, fault.Errorf(fault.Invalid, "a chat of type agent has one member, role:instance")
	}
	who, instance, err := member(p.Members[0])
	if err != nil {
		return chat.ToolResult{}, err
	}
	if instance == "" {
		return chat.ToolResult{}, fault.Errorf(fault.Invalid, "name the member role:instance, for example %s:a", who)
	}
	return m.assign(ctx, call, params{Role: who, Instance: instance, Task: p.Topic}, true)
}

func (m maker) group(ctx context.Context, call tool.Call, p chatParams) (chat.ToolResult, error) {
	rounds := cmp.Or(p.MaxRounds, chat.GroupRounds)
	switch {
	case len(p.Members) < 2 || len(p.Members) > chat.MaxGroupMembers:
		return chat.ToolResult{}, fault.Errorf(fault.Invalid, "a group chat has 2 to %d members, not %d", chat.MaxGroupMembers, len(p.Members))
	case rounds < 1 || rounds > chat.MaxGroupRounds:
		return chat.ToolResult{}, fault.Errorf(fault.Invalid, "max_rounds must be between 1 and %d, not %d", chat.MaxGroupRounds, rounds)
	}
	g := chat.NewGroup{Call: call.ID, Session: call.Session, Turn: call.ID.Turn(), Topic: p.Topic, Rounds: rounds}
	taken := map[string]bool{}
	for _, name := range p.Members {
		one, err := m.invited(ctx, call, name)
		if err != nil {
			return chat.ToolResult{}, err
		}
		key := strings.ToLower(one.Role + ":" + one.Instance)
		if one.Instance != "" && taken[key] {
			return chat.ToolResult{}, fault.Errorf(fault.Invalid, "%s is named twice", tool.Cut(name, 90))
		}
		taken[key] = true
		g.Members = append(g.Members, one)
	}
	id, err := m.rooms.OpenGroup(ctx, g)
	if err != nil {
		return chat.ToolResult{}, err
	}
	r := tool.Textf("group:%s has begun. What was said comes as a message at its end; do not wait for it.", id)
	r.Group = id
	return r, nil
}

func (m maker) invited(ctx context.Context, call tool.Call, name string) (chat.NewMember, error) {
	who, instance, err := member(name)
	if err != nil {
		return chat.NewMember{}, err
	}
	task := chat.SubagentTask{}
	if err := m.choose(ctx, call, params{Role: who}, &task); err != nil {
		return chat.NewMember{}, err
	}
	return chat.NewMember{Role: task.Role, Instance: instance, New: *task.New}, nil
}

// member reads role:instance, or role/instance.
func member(name string) (who, instance string, err error) {
	who, instance, _ = strings.Cut(strings.Replace(strings.TrimSpace(name), "/", ":", 1), ":")
	who, instance = strings.TrimSpace(who), strings.TrimSpace(instance)
	switch {
	case !role.ValidName(who):
		return "", "", fault.Errorf(fault.Invalid, "%.60q is no role: use role or role:instance", name)
	case instance != "" && !role.ValidName(instance):
		return "", "", fault.Errorf(fault.Invalid, "the instance %.60q is no name: use at most %d letters, digits, - and _", instance, role.MaxName)
	}
	return who, instance, nil
}
