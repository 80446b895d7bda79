package onebot

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"xbot/internal/channel/onebot/wire"
)

// Bounds of forwarded messages: they may hold others, which hold others.
const (
	maxForwarded = 100
	maxDepth     = 3
)

// forwarded reads messages that were forwarded together, with their senders. They come in the segment, or are fetched.
func (r *reader) forwarded(ctx context.Context, s wire.Segment, depth int) {
	if depth >= maxDepth || r.messages <= 0 {
		r.say("[forwarded messages]")
		return
	}
	nodes := parseNodes(json.RawMessage(cmp.Or(s.Data["content"], s.Data["message"])))
	if s.Type == "node" {
		r.node(ctx, node{name: cmp.Or(s.Data["nickname"], s.Data["name"]), segments: wire.ParseMessage(json.RawMessage(cmp.Or(s.Data["content"], s.Data["message"])))}, depth)
		return
	}
	if id := s.Data["id"]; len(nodes) == 0 && id != "" {
		var got struct {
			Messages json.RawMessage `json:"messages"`
			Message  json.RawMessage `json:"message"`
		}
		if err := r.ask(ctx, "get_forward_msg", params{"message_id": id, "id": id}, &got); err != nil {
			r.say("[forwarded messages that cannot be read]")
			return
		}
		nodes = append(parseNodes(got.Messages), parseNodes(got.Message)...)
	}
	r.say("[forwarded messages]\n")
	for i, n := range nodes {
		if r.messages <= 0 {
			r.say("[%d more messages]\n", len(nodes)-i)
			break
		}
		r.node(ctx, n, depth)
	}
	r.say("[end of forwarded messages]")
}

func (r *reader) node(ctx context.Context, n node, depth int) {
	r.messages--
	files := len(r.files)
	inner := &reader{account: r.account, messages: r.messages, files: r.files}
	inner.read(ctx, n.segments, depth+1)
	r.messages, r.files = inner.messages, inner.files
	said := strings.TrimSpace(inner.out.String())
	for _, f := range r.files[files:] {
		said = strings.TrimSpace(said + " " + placeholder(f))
	}
	r.say("%s: %s\n", cmp.Or(cleanName(n.name), "?"), said)
}

// node is one forwarded message.
type node struct {
	name     string
	segments []wire.Segment
}

// parseNodes reads forwarded messages in either of their forms: messages with a sender, or segments of the type node.
func parseNodes(data json.RawMessage) []node {
	var raw []struct {
		Type    string          `json:"type"`
		Data    json.RawMessage `json:"data"`
		Sender  wire.Sender     `json:"sender"`
		Message json.RawMessage `json:"message"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(data, &raw) != nil {
		return nil
	}
	var out []node
	for _, m := range raw {
		n := node{name: cmp.Or(m.Sender.Card, m.Sender.Nickname), segments: wire.ParseMessage(m.Message)}
		if len(n.segments) == 0 {
			n.segments = wire.ParseMessage(m.Content)
		}
		if m.Type == "node" {
			var d struct {
				Nickname wire.Text       `json:"nickname"`
				Name     wire.Text       `json:"name"`
				Content  json.RawMessage `json:"content"`
				Message  json.RawMessage `json:"message"`
			}
			if json.Unmarshal(m.Data, &d) != nil {
				continue
			}
			n = node{name: string(cmp.Or(d.Nickname, d.Name)), segments: wire.ParseMessage(d.Message)}
			if len(n.segments) == 0 {
				n.segments = wire.ParseMessage(d.Content)
			}
		}
		if len(n.segments) > 0 {
			out = append(out, n)
		}
	}
	return out
}
