// Package media generates pictures, speech and video through providers, each behind the port Provider, so that a crash pays for nothing twice.
//
// A generation is a row that is keyed by the id of its tool call:
//
//	        ┌─────────▶ failed     the provider refused it: nothing was paid
//	        │
//	starting ────────▶ unknown     it may have been paid for, and is not sent again
//	        │
//	        ├─▶ started ─▶ received ─▶ stored
//	        │    job id,    files       the conversation
//	        └─▶  links      staged      has the files
//
// The row is committed before the paid request is sent. An attempt that finds it in the state starting sends nothing; from started on every step
// can be repeated: a job is asked about, a link is downloaded, a staged file is written to the conversation.
package media

import (
	"context"
	"io"

	"xbot/internal/extension/toolkey"
)

// Kind is a kind of media.
type Kind string

// The kinds that are generated.
const (
	Image  Kind = "image"
	Speech Kind = "speech"
	Video  Kind = "video"
)

// Kinds of media that other packages book usage of.
const (
	Transcription Kind = "transcription"
	Realtime      Kind = "realtime"
)

// Limits of the files of a generation, in bytes.
const (
	MaxPictures = 64 << 20  // all pictures of a request
	MaxAudio    = 64 << 20  // a recording
	MaxVideo    = 512 << 20 // a video
)

// MaxOf returns how many bytes the files of a kind may have together.
func MaxOf(kind Kind) int64 {
	switch kind {
	case Image:
		return MaxPictures
	case Speech:
		return MaxAudio
	default:
		return MaxVideo
	}
}

// Request describes the media to generate. Members of other kinds are ignored.
type Request struct {
	Kind   Kind
	Prompt string // for speech: the text that is spoken

	// Of pictures and videos. Shape is one of Shapes, or WIDTHxHEIGHT in pixels; empty: the provider's default.
	Shape   string
	Sources []File // pictures to edit, or the first frame of a video

	// Of pictures.
	Count      int    // at least 1
	Quality    string // low, medium, high; empty: the provider's default
	Background string // transparent, opaque; empty: the provider's default

	// Of speech.
	Voice  string
	Format string  // mp3, opus, aac, flac, wav; empty: mp3
	Speed  float64 // 1 is normal; 0: the provider's default

	Seconds int // of a video
}

// Shapes of pictures and videos that every provider knows.
const (
	Square    = "square"
	Landscape = "landscape"
	Portrait  = "portrait"
)

// Units returns how much a request asks for: pictures, characters of speech, or seconds of video.
func (r Request) Units() int64 {
	switch r.Kind {
	case Image:
		return int64(max(r.Count, 1))
	case Speech:
		return int64(len([]rune(r.Prompt)))
	default:
		return int64(r.Seconds)
	}
}

// File is a file in memory.
type File struct {
	Name      string
	MediaType string
	Data      []byte
}

// Usage is what a provider counted. Members that it does not report are 0.
type Usage struct {
	Units       int64 // pictures, characters or seconds; 0: those of the request
	TextTokens  int64 // of the prompt
	ImageTokens int64 // of pictures that were sent
	Tokens      int64 // of the output
}

// Result is the answer of a provider to a request, or to a question about a job.
type Result struct {
	// Job is the provider's id of work that goes on. Percent is how much of it is done; 0: not known.
	Job     string
	Percent int
	// Files are the finished files, Links the addresses of those that are to be downloaded with Open.
	Files []File
	Links []string
	Usage Usage
}

// Done reports whether the work has ended.
func (r Result) Done() bool { return len(r.Files) > 0 || len(r.Links) > 0 }

// Provider generates media with the API of one provider. It is safe for concurrent use. Its errors have fault kinds, and sentences without
// keys that a user can act on.
type Provider interface {
	// Model returns the model that is used for a kind when the access names none.
	Model(kind Kind) string
	// Check reports what the provider cannot do of a request (Invalid), without a request to it.
	Check(a toolkey.Access, r Request) error
	// Start sends the request that is paid for. An error means that nothing was generated, unless it is Uncertain.
	Start(ctx context.Context, a toolkey.Access, r Request) (Result, error)
	// Poll asks about a job. Unavailable and RateLimited: ask again later. Other errors end the job.
	Poll(ctx context.Context, a toolkey.Access, kind Kind, job string) (Result, error)
	// Open downloads a link from its beginning. NotFound: it has expired. The caller closes the body; size is -1 where it is not known.
	Open(ctx context.Context, a toolkey.Access, link string) (body io.ReadCloser, size int64, err error)
	// Cancel ends a job, where the provider can. Its end may be charged.
	Cancel(ctx context.Context, a toolkey.Access, job string) error
}

// Providers finds a provider by its name in toolkey.
type Providers map[string]Provider
