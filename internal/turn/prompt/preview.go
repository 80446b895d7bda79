package prompt

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/tokens"
)

// Scenes returns the input of prompts.
type Scenes interface {
	Scene(ctx context.Context, key chat.SessionKey, turn chat.TurnID) (chat.Scene, error)
}

// Viewer shows the prompt that the next turn of a session would begin with. It calls no model and stores nothing.
type Viewer struct {
	Scenes   Scenes
	Pipeline *Pipeline
	Tools    interface {
		Of(ctx context.Context, key chat.SessionKey) (*toolset.Set, error)
	}
}

// Preview is a rendered prompt with its sizes.
type Preview struct {
	System      string
	UserMessage string
	Parts       []Size // by key
	Tools       []Size // by name
	Tokens      int    // of all, estimated
	Notes       []error
}

// Size is the size of one piece of a request.
type Size struct {
	Name   string
	Bytes  int
	Tokens int  // estimated
	Held   bool // as of the conversation's beginning or last compression
}

// Preview renders the prompt of a session for a possible message of a user, which may be empty.
func (v Viewer) Preview(ctx context.Context, key chat.SessionKey, text string, at time.Time) (Preview, error) {
	scene, err := v.Scenes.Scene(ctx, key, "")
	if err != nil {
		return Preview{}, err
	}
	a := &Assembly{Scene: scene, Text: text, At: at}
	if a.Tools, err = v.Tools.Of(ctx, key); err != nil {
		return Preview{}, err
	}
	if err := v.Pipeline.Assemble(ctx, a); err != nil {
		return Preview{}, err
	}
	l := Preview{System: a.System(), UserMessage: a.UserMessage, Notes: a.Notes, Tokens: tokens.Count(a.UserMessage)}
	for _, key := range slices.Sorted(maps.Keys(a.Parts)) {
		part := strings.TrimSpace(a.Parts[key])
		fresh := slices.ContainsFunc(a.Fresh, func(p chat.Part) bool { return p.Key == key })
		_, known := scene.Held[key]
		if part != "" {
			l.Parts = append(l.Parts, Size{Name: key, Bytes: len(part), Tokens: tokens.Count(part), Held: known && !fresh})
		}
	}
	for _, t := range a.Tools.Shown() {
		schema := t.Name + "\n" + t.Description + "\n" + string(t.Parameters)
		l.Tools = append(l.Tools, Size{Name: t.Name, Bytes: len(schema), Tokens: tokens.Count(schema)})
	}
	for _, s := range slices.Concat(l.Parts, l.Tools) {
		l.Tokens += s.Tokens
	}
	return l, nil
}
