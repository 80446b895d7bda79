package intake

import (
	"context"

	"xbot/internal/command"
	"xbot/internal/i18n"
)

// word reads a whole message that is a single word as the command that it means, on platforms alone: elsewhere there are buttons and keys. A
// word to stop is one only while a turn runs, a word to go on only where there is something to go on with, and no word but that to stop is a
// command while a question waits, since it may be the answer. A word for a new conversation would lose what the model knows: ask is the
// sentence that says how to begin one. Otherwise the message comes back as it is.
func (d *Dispatch) word(ctx context.Context, in Inbound) (as Inbound, ask i18n.ID, err error) {
	name := command.Word(in.Text)
	known, found := d.Commands.registry().Find(name)
	if name == "" || in.To == nil || in.Aside || len(in.Files) > 0 || !found {
		return in, "", nil
	}
	as = in
	as.Text = known.Spec().With("")
	if name == stopWord {
		_, busy, err := d.Inbox.Running(ctx, in.Session)
		if err != nil || !busy {
			return in, "", err
		}
		return as, "", nil
	}
	if _, asked, err := d.Inbox.OpenQuestion(ctx, in.Session, in.User); err != nil || asked {
		return in, "", err
	}
	switch name {
	case newWord:
		return as, i18n.NewAsk, nil
	case continueWord:
		if _, resumes, err := d.resume(ctx, as); err != nil || !resumes {
			return in, "", err
		}
	}
	return as, "", nil
}

// The words that mean a command only at some moments.
const (
	stopWord     = "stop"
	newWord      = "new"
	continueWord = "continue"
)
