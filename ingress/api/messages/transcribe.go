package messages

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

const transcriptionsPath = "/api/transcriptions"

// How long a client may take to send a recording, how long the service may take, all tries together, and how long the answer may take after both.
const (
	hearTime   = 3 * time.Minute
	writeTime  = 90 * time.Second
	answerTime = 30 * time.Second
)

// Transcriber transcribes recordings, by the key of a user.
type Transcriber interface {
	// Transcribe returns the speech in a recording as text. key is the conversation; empty: none.
	Transcribe(ctx context.Context, user chat.UserID, key chat.SessionKey, name string, audio []byte) (string, error)
}

// Transcribed is the transcript of a recording.
type Transcribed struct {
	Text string `json:"text" doc:"On one line. Empty: nothing was made out."`
}

// recordings are the kinds of recordings that are taken, with the name by which the service knows their form.
var recordings = map[string]string{
	"audio/webm": "a.webm", "video/webm": "a.webm", "audio/ogg": "a.ogg", "application/ogg": "a.ogg", "audio/mp4": "a.m4a", "audio/m4a": "a.m4a",
	"audio/x-m4a": "a.m4a", "video/mp4": "a.mp4", "audio/wav": "a.wav", "audio/wave": "a.wav", "audio/x-wav": "a.wav", "audio/mpeg": "a.mp3", "audio/mp3": "a.mp3",
}

// described are the types of them that the document names.
var described = []string{"audio/webm", "audio/ogg", "audio/mp4", "audio/wav", "audio/mpeg"}

func (a *Endpoints) registerTranscribe(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "transcribe", Method: http.MethodPost, Path: transcriptionsPath, Summary: "Transcribe a recording",
		Description: "The body is the recording: WebM, Ogg, MP4 (M4A), WAV or MP3, at most 25 MB, with its Content-Type. It is sent to the transcription service with the key that applies to you, " +
			"and is not stored. 400: there is no key, or the service refused the recording. 429: too many recordings at once, or within a minute.", Security: endpoint.Secured,
	}, a.transcribe)
	item := h.OpenAPI().Paths[transcriptionsPath]
	shown := *item.Post
	shown.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{}}
	for _, kind := range described {
		shown.RequestBody.Content[kind] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	item.Post = &shown // the operation itself must not declare its body: huma would read it before anything is checked
}

func (a *Endpoints) transcribe(ctx context.Context, in *struct{ endpoint.Request }) (*struct{ Body Transcribed }, error) {
	user := auth.User(ctx).ID
	done, err := a.dictations.begin(user, time.Now())
	if err != nil {
		return nil, a.Problem(err)
	}
	defer done()
	name, audio, err := recording(in.HTTP(), in.Writer())
	if err != nil {
		return nil, a.Problem(err)
	}
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	text, err := a.Voice.Transcribe(ctx, user, "", name, audio)
	switch {
	case err == nil:
		return &struct{ Body Transcribed }{Transcribed{Text: text}}, nil
	case fault.Is(err, fault.Unavailable), errors.Is(ctx.Err(), context.DeadlineExceeded):
		a.Log.Warn("a recording was not transcribed", "error", err)
		return nil, huma.Error503ServiceUnavailable("the service of transcription did not answer; try again in a moment")
	}
	return nil, a.Problem(err)
}

// recording reads the body of a request, within its limits.
func recording(r *http.Request, w http.ResponseWriter) (name string, audio []byte, err error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // an unreadable type has no kind
	name, ok := recordings[strings.ToLower(kind)]
	if !ok {
		return "", nil, fault.Errorf(fault.Invalid, "a recording of the type %.60q cannot be transcribed; send one of %s", kind, strings.Join(slices.Sorted(slices.Values(described)), ", "))
	}
	control, now := http.NewResponseController(w), time.Now()
	if err := errors.Join(control.SetReadDeadline(now.Add(hearTime)), control.SetWriteDeadline(now.Add(hearTime+writeTime+answerTime))); err != nil {
		return "", nil, fmt.Errorf("wait for a recording: %w", err)
	}
	audio, err = io.ReadAll(io.LimitReader(r.Body, chat.MaxAudio+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "", nil, fault.Errorf(fault.Invalid, "the recording did not arrive within %s: send it again", hearTime)
	case err != nil:
		return "", nil, fault.Errorf(fault.Invalid, "the recording broke off: send it again")
	case len(audio) > chat.MaxAudio:
		return "", nil, fault.Errorf(fault.TooLarge, "the recording has more than %d MB, which is the limit of transcription", chat.MaxAudio>>20)
	case len(audio) == 0:
		return "", nil, fault.Errorf(fault.Invalid, "the recording is empty")
	}
	return name, audio, nil
}
