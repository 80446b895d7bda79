package modelcall

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"xbot/internal/chat"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/prompt"
)

// Prompts makes the system prompts of turns.
type Prompts interface {
	// System returns the system prompt of a step: that of its turn, rendered at the turn's first step and the same bytes
	// in all steps and attempts that follow. tools are those of the conversation.
	System(ctx context.Context, step chat.Step) (system string, tools *toolset.Set, err error)
}

// BasePrompt answers with the prompt that comes with the program and nothing more.
type BasePrompt struct{ Tools Tools }

var _ Prompts = BasePrompt{}

// System returns prompt.Base.
func (p BasePrompt) System(ctx context.Context, step chat.Step) (string, *toolset.Set, error) {
	tools, err := p.Tools.Of(ctx, step.Session)
	return prompt.Base(), tools, err
}

// Scenes reads the inputs of prompts, and stores rendered prompts.
type Scenes interface {
	Scene(ctx context.Context, key chat.SessionKey, turn chat.TurnID) (chat.Scene, error)
	// FreezeSystem keeps the prompt of a turn and the parts that were made for it. It keeps the first prompt and returns it.
	FreezeSystem(ctx context.Context, step chat.Step, system string, parts []chat.Part) (string, error)
}

// SystemPrompts renders the prompt of a turn once and keeps it. It is safe for concurrent use.
type SystemPrompts struct {
	Scenes   Scenes
	Pipeline *prompt.Pipeline
	Tools    Tools
	Log      *slog.Logger

	mu     sync.Mutex
	recent []frozen // the newest last
}

var _ Prompts = (*SystemPrompts)(nil)

// frozen is the prompt of a turn.
type frozen struct {
	turn   chat.TurnID
	system string
}

// maxRecent is how many prompts of turns are kept in memory, so that the steps of running turns need not ask for them.
const maxRecent = 128

// System implements Prompts.
func (p *SystemPrompts) System(ctx context.Context, step chat.Step) (system string, tools *toolset.Set, err error) {
	system, ok := p.known(step.Turn)
	if !ok {
		if system, tools, err = p.render(ctx, step); err != nil {
			return "", nil, err
		}
		p.remember(step.Turn, system)
	}
	if tools == nil {
		tools, err = p.Tools.Of(ctx, step.Session)
	}
	return system, tools, err
}

// render makes the prompt of a turn unless it is stored. tools is nil if they were not read or may have changed since.
func (p *SystemPrompts) render(ctx context.Context, step chat.Step) (system string, tools *toolset.Set, err error) {
	scene, err := p.Scenes.Scene(ctx, step.Session, step.Turn)
	if err != nil || scene.Frozen {
		return scene.System, nil, err
	}
	if tools, err = p.Tools.Of(ctx, step.Session); err != nil {
		return "", nil, err
	}
	a := &prompt.Assembly{Scene: scene, Tools: tools}
	if err := p.Pipeline.Assemble(ctx, a); err != nil {
		return "", nil, err
	}
	for _, note := range a.Notes {
		p.Log.Debug("a part of a prompt was left out", "session", step.Session, "error", note)
	}
	system, err = p.Scenes.FreezeSystem(ctx, step, a.System(), a.Fresh)
	if len(a.Fresh) > 0 {
		tools = nil // a part may bring a tool
	}
	return system, tools, err
}

func (p *SystemPrompts) known(turn chat.TurnID) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.recent, func(f frozen) bool { return f.turn == turn })
	if i < 0 {
		return "", false
	}
	return p.recent[i].system, true
}

func (p *SystemPrompts) remember(turn chat.TurnID, system string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.recent) == maxRecent {
		p.recent = slices.Delete(p.recent, 0, 1)
	}
	p.recent = append(p.recent, frozen{turn, system})
}
