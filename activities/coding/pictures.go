package coding

import (
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
)

// pictures returns the pictures of messages with their bytes, in order: the newest, at most chat.MaxPictures and room bytes. For the others the
// agent has the lines that name their files.
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

// beside returns how many bytes of pictures fit into a message with this text.
func beside(text string) int { return max(0, codingagent.MaxMessagePictures-len(text)) }

// newest returns the last pictures that fit into room bytes.
func newest(all []codingagent.Picture, room int) []codingagent.Picture {
	for i, p := range slices.Backward(all) {
		if room -= len(p.Data); room < 0 {
			return all[i+1:]
		}
	}
	return all
}

// fill reads the bytes of pictures. Deleted ones stay empty.
func (t *turn) fill(ctx context.Context, store Store, pictures []codingagent.Picture) error {
	var hashes []string
	for _, p := range pictures {
		if !slices.Contains(hashes, p.Hash) {
			hashes = append(hashes, p.Hash)
		}
	}
	known, err := store.Attachments.Pictures(ctx, t.ask.Step.Session, hashes)
	if err != nil {
		return err
	}
	for i, p := range pictures {
		pictures[i].Data = known[p.Hash].Data
	}
	return nil
}

// size returns the bytes of pictures.
func size(pictures []codingagent.Picture) (bytes int) {
	for _, p := range pictures {
		bytes += len(p.Data)
	}
	return bytes
}

// message returns a message for the running agent. Its pictures are read once.
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
