package letta

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/memory"
)

const (
	// maxRounds is how often memorizing starts over because memory was changed while the model wrote.
	maxRounds = 3
	// maxAdded is how many entries one conversation adds to the archive.
	maxAdded = 30
	// maxShown is how many entries the model sees, and may delete.
	maxShown = 12
	// maxAsked is how many messages of the user are searched for, the newest.
	maxAsked = 8
)

//go:embed consolidate.md
var instructions string

//go:embed consolidate_memory.json
var schema []byte

// consolidateArguments is the arguments of the model's call of consolidate_memory.
type consolidateArguments struct {
	Persona string   `json:"persona,omitempty"`
	Human   string   `json:"human,omitempty"`
	Working string   `json:"working_context,omitempty"`
	Archive []string `json:"archival_entries,omitempty"`
	History string   `json:"history_entry"`
	Delete  []string `json:"entries_to_delete,omitempty"`
}

func (c *consolidateArguments) block(b chat.Block) *string {
	return map[chat.Block]*string{chat.BlockPersona: &c.Persona, chat.BlockHuman: &c.Human, chat.BlockWorking: &c.Working}[b]
}

// Memorize implements memory.Provider: one call of the model, which rewrites blocks, adds to the archive and the log,
// and takes out what does not hold any more.
func (p Provider) Memorize(ctx context.Context, in memory.MemorizeInput) (memory.MemorizeResult, error) {
	for round := 1; ; round++ {
		_, again, err := p.Store.MemoryWritten(ctx, in.MemoryOwner(), in.Key)
		if again || err != nil || in.Empty() {
			return memory.MemorizeResult{Again: again}, err
		}
		out, err := p.consolidate(ctx, in)
		if moved := fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound); !moved || round == maxRounds {
			return out, err
		}
	}
}

func (p Provider) consolidate(ctx context.Context, in memory.MemorizeInput) (out memory.MemorizeResult, err error) {
	blocks, err := p.Store.Blocks(ctx, in.MemoryOwner(), in.Session)
	if err != nil {
		return out, fmt.Errorf("read memory: %w", err)
	}
	related, err := p.Archive.Related(ctx, in.MemoryOwner(), userMessages(in.Lines), maxShown)
	if err != nil {
		return out, fmt.Errorf("search the archive: %w", err)
	}
	said, err := memory.Consult(ctx, in.Ask, request(in.Talk(), blocks, related), func(c *consolidateArguments) error { return check(c, related) })
	if err != nil {
		return out, err
	}
	m := chat.Memorized{Key: in.Key, Session: in.Session, From: in.From, To: in.To, History: said.History}
	for _, b := range chat.Blocks() {
		if content := *said.block(b); content != "" && content != blocks[b] {
			m.Blocks = append(m.Blocks, chat.BlockChange{Block: b, Was: blocks[b], Content: content})
			out.Changed = append(out.Changed, string(b))
		}
	}
	m.Delete, _ = idsOf(said.Delete, related) // checked
	if m.Archive, err = p.Archive.Prepare(ctx, in.MemoryOwner(), said.Archive, in.From.Add(in.To.Sub(in.From)/2), m.Delete); err != nil {
		return out, fmt.Errorf("search the archive: %w", err)
	}
	fresh, err := p.Store.Memorize(ctx, in.MemoryOwner(), m)
	if err != nil {
		return out, fmt.Errorf("keep what was memorized: %w", err)
	}
	if !fresh {
		return memory.MemorizeResult{Again: true}, nil
	}
	out.History, out.Archived, out.Deleted = said.History, len(m.Archive), len(m.Delete)
	return out, nil
}

// userMessages returns the user's last messages.
func userMessages(lines []chat.Line) (out []string) {
	for _, l := range slices.Backward(lines) {
		if l.Message.Role == chat.RoleUser && l.Message.Origin == "" && strings.TrimSpace(l.Message.Content) != "" && len(out) < maxAsked {
			out = append(out, l.Message.Content)
		}
	}
	return out
}

func request(talk string, blocks map[chat.Block]string, related []chat.ArchivalEntry) llm.Request {
	var b strings.Builder
	b.WriteString(Render(blocks) + "\n\n")
	if len(related) > 0 {
		b.WriteString("Entries of the archive that may be about the same:\n")
		for _, e := range related {
			fmt.Fprintf(&b, "a%d (%s): %s\n", e.ID, e.At.UTC().Format("2006-01-02"), e.Content)
		}
		b.WriteByte('\n')
	}
	b.WriteString("<conversation>\n" + talk + "\n</conversation>\n\nCall consolidate_memory now.")
	return llm.Request{
		System:   strings.TrimSpace(instructions),
		Tools:    []llm.Tool{{Name: "consolidate_memory", Description: "Saves lasting information of the conversation.", Parameters: json.RawMessage(schema)}},
		Messages: []llm.Message{{Role: "user", Content: b.String()}},
	}
}

func check(c *consolidateArguments, related []chat.ArchivalEntry) error {
	for _, b := range chat.Blocks() {
		content := c.block(b)
		*content = strings.TrimSpace(*content)
		if n := utf8.RuneCountInString(*content); n > b.Max() {
			return fmt.Errorf("%s has %d characters, %d too many; leave out what matters least", b, n, n-b.Max())
		}
	}
	if c.History = strings.TrimSpace(c.History); utf8.RuneCountInString(c.History) > chat.MaxHistory {
		return fmt.Errorf("history_entry is longer than %d characters; write one paragraph", chat.MaxHistory)
	}
	for i := range c.Archive {
		c.Archive[i] = strings.TrimSpace(c.Archive[i])
	}
	c.Archive = slices.DeleteFunc(c.Archive, func(e string) bool { return e == "" })
	if len(c.Archive) > maxAdded {
		return fmt.Errorf("archival_entries has %d entries; give the %d that matter most", len(c.Archive), maxAdded)
	}
	for _, e := range c.Archive {
		if n := utf8.RuneCountInString(e); n > chat.MaxArchival {
			return fmt.Errorf("an entry of the archive has %d characters; write one fact in each, at most %d characters", n, chat.MaxArchival)
		}
	}
	_, err := idsOf(c.Delete, related)
	return err
}

// idsOf reads the entries that are to go, each once. Only those that were shown can go.
func idsOf(names []string, related []chat.ArchivalEntry) ([]chat.ArchivalID, error) {
	var out []chat.ArchivalID
	for _, name := range names {
		n, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(name), "a"), 10, 64)
		id := chat.ArchivalID(n)
		if err != nil || !slices.ContainsFunc(related, func(e chat.ArchivalEntry) bool { return e.ID == id }) {
			return nil, fmt.Errorf("entries_to_delete names %q, which is none of the entries shown", name)
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}
