package intake

import (
	"context"
	"slices"

	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
	"xbot/internal/turn/engine"
)

// word accepts a message from a platform that is a single word: as the command that it means, or as it is. It may be delivered again, when it
// would mean something else; the first meaning counts.
func (d *Dispatcher) word(ctx context.Context, in Message) (engine.Accepted, error) {
	as, ask, err := d.meant(ctx, in)
	if err != nil {
		return engine.Accepted{}, err
	}
	var got engine.Accepted
	if ask != "" {
		got, err = d.say(ctx, in, ask)
	} else {
		got, err = d.read(ctx, as)
	}
	if fault.Is(err, fault.Conflict) {
		if known, found, missing := d.Turns.Delivered(ctx, in.NewRow); missing == nil && found {
			return engine.Accepted{ID: known.Inbox, Duplicate: true}, nil
		}
	}
	got.Answer = got.Answer || ask != "" || as.Text != in.Text // as to a command, which it was not written as
	return got, err
}

// meant decides what a word means. To stop means something while a turn runs or messages wait for one. No other word is a command where a
// question waits, since it may be the answer; nor below a quotation, which it may be about. To continue means something where the last turn was
// interrupted. A new conversation would lose what the model knows: ask is the sentence that explains how to begin one.
func (d *Dispatcher) meant(ctx context.Context, in Message) (as Message, ask i18n.ID, err error) {
	name := command.Word(in.Text)
	known, found := d.Commands.registry().Find(name)
	if in.Aside || !found || slices.ContainsFunc(in.Files, brought) {
		return in, "", nil
	}
	as = in
	as.Text = known.Spec().With("")
	if name == stopWord {
		busy, err := d.Turns.Busy(ctx, in.Session)
		if err != nil || !busy {
			return in, "", err
		}
		return as, "", nil
	}
	if in.Before != "" {
		return in, "", nil
	}
	if _, asked, err := d.Turns.OpenQuestion(ctx, in.Session, in.User); err != nil || asked {
		return in, "", err
	}
	switch name {
	case newWord:
		return in, i18n.NewAsk, nil
	case continueWord:
		if _, resumes, err := d.resume(ctx, as); err != nil || !resumes {
			return in, "", err
		}
	}
	return as, "", nil
}

// say answers a message with a sentence, without a turn.
func (d *Dispatcher) say(ctx context.Context, in Message, id i18n.ID) (engine.Accepted, error) {
	lang, err := d.speaks(ctx, in)
	if err != nil {
		return engine.Accepted{}, err
	}
	return d.command(ctx, in, func(context.Context) (string, error) { return i18n.Say(lang, id), nil })
}

// The words that mean a command only at some moments.
const (
	stopWord     = "stop"
	newWord      = "new"
	continueWord = "continue"
)
