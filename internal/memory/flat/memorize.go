package flat

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/memory"
)

// Path is the note that memorizing keeps up to date; it comes before all others in a prompt.
const Path = "MEMORY.md"

// maxText is how long memorizing may make that note, in characters.
const maxText = 4_000

// maxRounds is how often memorizing starts over because the note was changed while the model wrote.
const maxRounds = 3

//go:embed memorize.md
var instructions string

//go:embed save_memory.json
var schema []byte

// saved is the arguments of the model's call of save_memory.
type saved struct {
	History string `json:"history_entry"`
	Memory  string `json:"memory_update"`
}

// Memorize implements memory.Provider: one call of the model, which writes an entry of the log and rewrites the note Path.
func (p Provider) Memorize(ctx context.Context, in memory.MemorizeInput) (memory.MemorizeResult, error) {
	var out memory.MemorizeResult
	for round := range maxRounds {
		_, again, err := p.Store.MemoryWritten(ctx, in.MemoryOwner(), in.Key)
		if again || err != nil || in.Empty() {
			return memory.MemorizeResult{Again: again}, err
		}
		notes, err := p.Store.Memories(ctx, in.User, in.Agent)
		if err != nil {
			return out, fmt.Errorf("read memory: %w", err)
		}
		change := changeOf(notes)
		said, err := memory.Consult(ctx, in.Ask, request(in.Talk(), notes, change.Was), check)
		if err != nil {
			return out, err
		}
		out, err = p.keep(ctx, in, said, change)
		if !fault.Is(err, fault.Conflict) || round == maxRounds-1 {
			return out, err
		}
	}
	return out, nil
}

func changeOf(notes []chat.Note) chat.NoteChange {
	change := chat.NoteChange{Path: Path}
	if i := slices.IndexFunc(notes, func(n chat.Note) bool { return n.Path == Path }); i >= 0 {
		change.Was = notes[i].Content
	}
	return change
}

func request(talk string, notes []chat.Note, was string) llm.Request {
	others := slices.DeleteFunc(slices.Clone(notes), func(n chat.Note) bool { return n.Path == Path })
	text := "<memory>\n" + was + "\n</memory>\n\n"
	if len(others) > 0 {
		text += "Notes that the assistant has beside it, and that need not be repeated:\n" + Render(others) + "\n\n"
	}
	return llm.Request{
		System: strings.TrimSpace(instructions),
		Tools:  []llm.Tool{{Name: "save_memory", Description: "Saves lasting information of the conversation.", Parameters: json.RawMessage(schema)}},
		Messages: []llm.Message{{
			Role: "user", Content: text + "<conversation>\n" + talk + "\n</conversation>\n\nCall save_memory now.",
		}},
	}
}

func check(s *saved) error {
	s.History, s.Memory = strings.TrimSpace(s.History), strings.TrimSpace(s.Memory)
	if n := utf8.RuneCountInString(s.History); n > chat.MaxHistory {
		return fmt.Errorf("history_entry has %d characters; write one paragraph, at most %d characters", n, chat.MaxHistory)
	}
	if n := utf8.RuneCountInString(s.Memory); n > maxText {
		return fmt.Errorf("memory_update has %d characters, %d too many; leave out what matters least", n, n-maxText)
	}
	return nil
}

func (p Provider) keep(ctx context.Context, in memory.MemorizeInput, said saved, change chat.NoteChange) (memory.MemorizeResult, error) {
	m := chat.Memorized{Key: in.Key, Session: in.Session, From: in.From, To: in.To, History: said.History}
	out := memory.MemorizeResult{History: said.History}
	if change.Content = said.Memory; said.Memory != "" && said.Memory != change.Was {
		m.Notes, out.Changed = []chat.NoteChange{change}, []string{Path}
	}
	fresh, err := p.Store.Memorize(ctx, in.MemoryOwner(), m)
	if err != nil {
		return memory.MemorizeResult{}, fmt.Errorf("keep what was memorized: %w", err)
	}
	if !fresh {
		return memory.MemorizeResult{Again: true}, nil
	}
	return out, nil
}
