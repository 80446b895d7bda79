package people

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"xbot/ingress/openai"
	"xbot/internal/chat"
)

// named returns names for the pictures of a message and behind them for its files: others make another text, even where a program calls them the
// same. One of an address is named by that, so that the same request is the same message even if its content changes.
func named(a openai.Ask) []chat.Attachment {
	var out []chat.Attachment
	for _, s := range a.Pictures {
		name := s.Name
		if s.Address == "" {
			name = hashed(s.Data, name)
		}
		out = append(out, chat.Attachment{Kind: "image", Name: name})
	}
	for _, u := range a.Uploads {
		out = append(out, chat.Attachment{Kind: u.Kind, Name: hashed(u.Data, u.Name)})
	}
	return out
}

func hashed(data []byte, name string) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:4]) + "-" + name
}

// attach keeps the pictures of a message in its conversation, and stores its files as a user's uploads are stored; those of one that was accepted
// before are there. files names all of them, the pictures first.
func (p *People) attach(ctx context.Context, key chat.SessionKey, files []chat.Attachment, pictures []chat.Picture, uploads []openai.Upload, before bool) ([]chat.Attachment, error) {
	files, err := p.keep(ctx, key, files, pictures)
	if err != nil || before {
		return files, err
	}
	for i, u := range uploads {
		file := &files[len(pictures)+i]
		stored, err := p.Files.Put(ctx, key, file.Name, u.Data)
		if err != nil {
			return nil, fmt.Errorf("store the file %s: %w", u.Name, err)
		}
		file.At, file.Size = stored.Path, stored.Size
	}
	return files, nil
}
