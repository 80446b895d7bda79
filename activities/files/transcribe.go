package files

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/sandbox"
)

const (
	// hearTime bounds a transcription with all attempts.
	hearTime = 90 * time.Second
	// spare is what is left of an activity's time when a transcription is given up, so that the file itself is noted.
	spare = 10 * time.Second
)

// Transcriber converts speech to text.
type Transcriber interface {
	// IsAudio reports whether a file is one of sound: by its kind on the platform, else by its name.
	IsAudio(kind, name string) bool
	Transcribe(ctx context.Context, user chat.UserID, key chat.SessionKey, name string, audio []byte) (string, error)
}

// transcribe transcribes an audio file, with the key of the conversation's owner. If that fails the file stays, and the message has the reason. An error
// means that the runner was lost, or that the activity ends.
func (r *Fetcher) transcribe(ctx context.Context, p chat.AttachmentSet, f *chat.AttachmentFetch, box sandbox.Sandbox) error {
	if r.Voice == nil || p.Command || !r.Voice.IsAudio(f.Kind, f.Path) {
		return nil
	}
	if f.Size > chat.MaxAudio {
		f.Unheard = fmt.Sprintf("it has more than %d MB, which is the limit of transcription", chat.MaxAudio>>20)
		return nil
	}
	audio, err := readAll(ctx, box, f.Path, f.Size)
	if err != nil {
		return fmt.Errorf("read the sound again: %w", err)
	}
	limit := hearTime
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)-spare)
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	said, err := r.Voice.Transcribe(within, p.Owner, p.Session, f.Path, audio)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case within.Err() != nil && err != nil:
		f.Unheard = "the service did not answer in time"
	case err != nil:
		f.Unheard = chat.FirstWords(err.Error(), maxReason)
	case said == "":
		f.Unheard = "nothing was made out"
	default:
		f.Transcript = said
	}
	return nil
}

// readAll reads a file of a known size, in parts.
func readAll(ctx context.Context, box sandbox.Sandbox, path string, size int64) ([]byte, error) {
	var data []byte
	for int64(len(data)) < size {
		part, err := box.ReadFile(ctx, path, int64(len(data)), pictureChunk)
		if err != nil {
			return nil, err
		}
		if len(part.Data) == 0 {
			break
		}
		data = append(data, part.Data...)
	}
	return data, nil
}
