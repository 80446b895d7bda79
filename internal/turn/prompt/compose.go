package prompt

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/turn/window"
)

// Compose builds the request of a step: the system prompt, the tools, the conversation as control records and pruning show it, and the
// reminder. It alone decides what a model sees, so that the same rows produce the same request.
func Compose(system string, tools []llm.Tool, w chat.Window, s chat.Sent) llm.Request {
	lines := window.View(w)
	if s.Fill > 0 {
		lines, _ = window.PruneUpto(lines, s.Fill, s.PrunedUpto)
	}
	r := llm.Request{System: system, Tools: tools, Messages: make([]llm.Message, 0, len(lines)+1)}
	for _, l := range lines {
		r.Messages = append(append(r.Messages, lateResults(l, r.Messages)...), shownMessages(l, w.Pictures, s)...)
	}
	if s.Reminder != "" {
		r.Messages = append(r.Messages, llm.Message{Role: "user", Content: s.Reminder, Volatile: true})
	} else if n := len(lines); n > 0 && lines[n-1].Message.Origin == chat.OriginPerson {
		r.Messages = append(r.Messages, llm.Message{Role: "user", Content: personSpoke, Volatile: true})
	}
	return r
}

// personSpoke follows a message that an administrator wrote in place of the model in the middle of its turn: providers refuse, or continue with,
// a conversation that ends with an answer.
const personSpoke = "[Go on with your own answer, if anything is left to say.]"

// shownMessages returns the messages of a line with the pictures that it shows.
func shownMessages(l chat.Line, known map[string]chat.Picture, s chat.Sent) []llm.Message {
	out := messages(l)
	if s.PicturesFrom == 0 || l.Message.ID < s.PicturesFrom || len(out) == 0 {
		return out
	}
	skip := 0
	if l.Message.ID == s.PicturesFrom {
		skip = s.PicturesSkipped
	}
	out[0].Pictures = shownPictures(l.Message.Pictures, known, &skip)
	for _, c := range l.Message.ToolCalls {
		shown := shownPictures(c.Pictures, known, &skip)
		for i := range out {
			if out[i].Role == "tool" && out[i].ToolCallID == string(c.ID) {
				out[i].Pictures = shown
			}
		}
	}
	return out
}

// shownPictures returns the pictures of a message or a result, without the first ones that are still to be skipped.
func shownPictures(refs []chat.PictureRef, known map[string]chat.Picture, skip *int) (out []llm.Picture) {
	skipped := min(*skip, len(refs))
	*skip -= skipped
	for _, r := range refs[skipped:] {
		if p, ok := known[r.Hash]; ok {
			out = append(out, llm.Picture{MediaType: p.MediaType, Data: p.Data})
		}
	}
	return out
}

// Rebuild makes the request of a step again. exact reports whether it equals the sent one to the byte: it does not if another version of the
// program shows a conversation differently.
func Rebuild(s chat.SentStep) (r llm.Request, exact bool) {
	system, tools := splitStatic(s.Static, s.System)
	r = Compose(system, tools, s.Window, s.Sent)
	sum, _ := Digest(r)
	return r, bytes.Equal(sum, s.Hash)
}

// Digest returns the SHA-256 of a request and the size of its texts in bytes. Two requests that differ in anything that an adapter sends have
// two digests; the limit of the answer is not part of it.
func Digest(r llm.Request) (sum []byte, size int) {
	d := &digest{Hash: sha256.New()}
	d.text(r.System)
	d.number(len(r.Tools))
	for _, t := range r.Tools {
		d.text(t.Name, t.Description, string(t.Parameters))
	}
	d.number(len(r.Messages))
	for _, m := range r.Messages {
		d.text(m.Role, m.Content, m.Reasoning, string(m.Opaque), m.ToolCallID)
		d.flags(m.IsError, m.Volatile)
		d.number(len(m.ToolCalls))
		for _, c := range m.ToolCalls {
			d.text(c.ID, c.Name, c.Arguments)
		}
		for _, p := range m.Pictures { // one without any has the same digest as before there were pictures
			d.text("picture", p.MediaType, string(p.Data))
		}
	}
	return d.Sum(nil), d.size
}

// digest writes parts with their lengths before them, so that no two lists of parts are the same bytes.
type digest struct {
	hash.Hash

	size  int
	chunk [512]byte // of a text being hashed: strings are written without being copied first
}

func (d *digest) text(parts ...string) {
	for _, p := range parts {
		d.number(len(p))
		d.size += len(p)
		for len(p) > 0 {
			n := copy(d.chunk[:], p)
			_, _ = d.Write(d.chunk[:n]) // a hash takes everything
			p = p[n:]
		}
	}
}

func (d *digest) number(n int) {
	binary.BigEndian.PutUint64(d.chunk[:], uint64(n))
	_, _ = d.Write(d.chunk[:8]) // a hash takes everything
}

func (d *digest) flags(flags ...bool) {
	for _, f := range flags {
		n := 0
		if f {
			n = 1
		}
		d.number(n)
	}
}

// toolMark begins a tool in a static part.
const toolMark = "\n\n## tool "

// splitStatic is the inverse of Static. system is the system prompt if it is known; without it, the first tool ends it.
func splitStatic(static, system string) (string, []llm.Tool) {
	rest, found := strings.CutPrefix(static, system)
	if system == "" || !found || rest != "" && !strings.HasPrefix(rest, toolMark) {
		system, rest, found = strings.Cut(static, toolMark)
		if !found {
			return system, nil
		}
		rest = toolMark + rest
	}
	var tools []llm.Tool
	for rest != "" {
		part := rest[len(toolMark):]
		if end := strings.Index(part, toolMark); end >= 0 {
			part, rest = part[:end], part[end:]
		} else {
			rest = ""
		}
		name, body, _ := strings.Cut(part, "\n")
		t := llm.Tool{Name: name, Description: body}
		if i := strings.LastIndexByte(body, '\n'); i >= 0 {
			t.Description, t.Parameters = body[:i], json.RawMessage(body[i+1:])
		}
		tools = append(tools, t)
	}
	return system, tools
}
