package coding

import (
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
)

// pictures are those that messages show, with their bytes, in their order: the newest of them, at most chat.MaxPictures, that have a number of
// bytes together. Of the others the agent reads the lines that name their files.
func (t *turn) pictures(ctx context.Context, store Store, room int, said ...message) ([]codingagent.Picture, error) {
	var all []codingagent.Picture
	for _, m := range said {
		for _, p := range m.pictures {
			all = append(all, codingagent.Picture{Hash: p.Hash, MediaType: p.MediaType})
		}
	}
	all = all[max(0, len(all)-chat.MaxPictures):]
	if err := t.fill(ctx, store, all); err != nil {
		return nil, err
	}
	return newest(all, room), nil
}

// beside is how many bytes of pictures stand beside a text in one message.
func beside(text string) int { return max(0, codingagent.MaxMessagePictures-len(text)) }

// newest are the last pictures that have a number of bytes together.
func newest(all []codingagent.Picture, room int) []codingagent.Picture {
	for i, p := range slices.Backward(all) {
		if room -= len(p.Data); room < 0 {
			return all[i+1:]
		}
	}
	return all
}

// fill reads the bytes of pictures. Those that are not there any more stay without.
func (t *turn) fill(ctx context.Context, store Store, pictures []codingagent.Picture) error {
	var hashes []string
	for _, p := range pictures {
		if !slices.Contains(hashes, p.Hash) {
			hashes = append(hashes, p.Hash)
		}
	}
	known, err := store.Pictures(ctx, t.ask.Step.Session, hashes)
	if err != nil {
		return err
	}
	for i, p := range pictures {
		pictures[i].Data = known[p.Hash].Data
	}
	return nil
}

// size is how many bytes pictures have.
func size(pictures []codingagent.Picture) (bytes int) {
	for _, p := range pictures {
		bytes += len(p.Data)
	}
	return bytes
}

// message is what the agent is given of what was said while it works. Its pictures are read once.
func (f *follower) message(ctx context.Context, m message) (codingagent.Message, error) {
	shown, known := f.shown[m.key()]
	if !known && len(m.pictures) > 0 {
		var err error
		if shown, err = f.turn.pictures(ctx, f.store, min(beside(m.text), f.room), m); err != nil {
			return codingagent.Message{}, err
		}
		f.shown[m.key()] = shown
		f.room -= size(shown)
	}
	return codingagent.Message{Text: m.text, Pictures: shown}, nil
}
