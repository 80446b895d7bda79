// Package transcription transcribes speech with an OpenAI-compatible service or a whisper.cpp server.
package transcription

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"path"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/document/filename"
	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
)

const (
	usualModel = "whisper-1"
	maxAnswer  = 1 << 20 // bytes
	maxText    = 20_000  // characters of a transcript
	callTime   = time.Minute
	sniffed    = 512 // bytes of a file that identify its form
	tries      = 3   // calls in all where the service was down
)

// Keys return how the service is reached for a user.
type Keys interface {
	For(ctx context.Context, user chat.UserID, service string) (toolkey.Access, error)
}

// Transcriber transcribes files. It is safe for concurrent use and must not be copied.
type Transcriber struct {
	Keys  Keys
	Pause time.Duration // before the second call, doubling; 0: a second
	Usage Usage         // books usage; nil: usage is not booked
	Log   *slog.Logger  // nil: nothing is logged

	whisper whisperServers
}

// endings are the file name endings of audio files.
var endings = map[string]bool{
	".aac": true, ".aiff": true, ".amr": true, ".flac": true, ".m4a": true, ".mp3": true, ".mpga": true, ".oga": true, ".ogg": true, ".opus": true, ".silk": true, ".wav": true, ".wma": true,
}

// IsAudio reports whether a file is one of sound: by its kind on the platform, else by the ending of its name.
func (*Transcriber) IsAudio(kind, name string) bool {
	return kind == "audio" || endings[strings.ToLower(path.Ext(name))]
}

// Transcribe returns the speech in a file as text, on one line, and books the usage. key is the conversation; empty: none. It retries if the
// service is down, for less than three minutes in all. Invalid: there is no key, or the service refuses the file.
func (t *Transcriber) Transcribe(ctx context.Context, user chat.UserID, key chat.SessionKey, name string, audio []byte) (string, error) {
	if len(audio) > chat.MaxAudio {
		return "", fault.Errorf(fault.TooLarge, "it has more than %d MB, which is the limit of transcription", chat.MaxAudio>>20)
	}
	access, err := t.Keys.For(ctx, user, toolkey.Transcription)
	if err != nil {
		return "", err
	}
	pause := cmp.Or(t.Pause, time.Second)
	for try := 1; ; try++ {
		text, used, err := t.call(ctx, access, name, audio)
		if err == nil {
			t.book(ctx, newUsageRecord(access, used, user, key))
		}
		if err == nil || try == tries || !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.RateLimited) {
			return text, err
		}
		select {
		case <-ctx.Done():
			return "", err
		case <-time.After(pause):
			pause *= 2
		}
	}
}

// call sends a file once: to /audio/transcriptions, or to /inference of a whisper.cpp server.
func (t *Transcriber) call(ctx context.Context, access toolkey.Access, name string, audio []byte) (string, usage, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	if t.whisper.has(access.BaseURL) {
		text, used, found, err := infer(ctx, access, name, audio)
		if found {
			return text, used, err
		}
		t.whisper.remove(access.BaseURL)
	}
	text, used, err := transcribe(ctx, access, name, audio)
	if !fault.Is(err, fault.NotFound) {
		return text, used, err
	}
	text, used, found, inferErr := infer(ctx, access, name, audio)
	if !found {
		return "", usage{}, err
	}
	t.whisper.add(access.BaseURL)
	return text, used, inferErr
}

// transcribe calls an OpenAI-compatible service. NotFound: the service does not have the path.
func transcribe(ctx context.Context, access toolkey.Access, name string, audio []byte) (string, usage, error) {
	answer, err := send(ctx, access, "/audio/transcriptions", name, audio)
	if err != nil {
		return "", usage{}, err
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	err = toolkey.Refused(answer)
	switch {
	case err != nil && (answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusMethodNotAllowed):
		return "", usage{}, fault.Errorf(fault.NotFound, "%w", err)
	case err != nil:
		return "", usage{}, err
	}
	return parseAnswer(answer)
}

// send posts a file as a transcription request.
func send(ctx context.Context, access toolkey.Access, path, name string, audio []byte) (*http.Response, error) {
	body, form, err := formOf(cmp.Or(access.Model, usualModel), name, audio)
	if err != nil {
		return nil, err
	}
	req, err := access.Request(ctx, http.MethodPost, path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", form)
	return access.Do(req)
}

// parseAnswer reads the transcript of an answer.
func parseAnswer(answer *http.Response) (string, usage, error) {
	var body struct {
		Text  *string         `json:"text"`
		Error json.RawMessage `json:"error"`
		Usage json.RawMessage `json:"usage"`
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	switch {
	case err != nil:
		return "", usage{}, fault.Errorf(fault.Unavailable, "the connection to the service broke: %w", err)
	case json.Unmarshal(data, &body) != nil || body.Text == nil && body.Error == nil:
		return "", usage{}, fault.Errorf(fault.Invalid, "the service sent no transcript: is its address right?")
	case body.Text == nil:
		return "", usage{}, fault.Errorf(fault.Invalid, "the service sent no transcript: it may not support the format of the recording (a whisper.cpp server reads formats other than WAV only with --convert)")
	}
	return plain(*body.Text), parseUsage(body.Usage), nil
}

func formOf(model, name string, audio []byte) (body io.Reader, contentType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for field, value := range map[string]string{"model": model, "response_format": "json"} {
		if err := w.WriteField(field, value); err != nil {
			return nil, "", err
		}
	}
	part, err := w.CreateFormFile("file", sentName(name, audio))
	if err != nil {
		return nil, "", err
	}
	if _, err := part.Write(audio); err != nil {
		return nil, "", err
	}
	return &b, w.FormDataContentType(), w.Close()
}

// sentName shows the service the form of a file, and not its name. The content counts: platforms convert voices and keep
// their names. Opus comes in Ogg.
func sentName(name string, audio []byte) string {
	ending := filename.Guess(audio[:min(len(audio), sniffed)])
	if !endings[ending] {
		ending = strings.ToLower(path.Ext(name))
	}
	switch {
	case ending == ".opus" || ending == ".oga":
		return "audio.ogg"
	case endings[ending] || ending == ".webm" || ending == ".mp4":
		return "audio" + ending
	}
	return "audio.mp3"
}

// plain is a text on one line, of bounded length.
func plain(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")), " ")
	if runes := []rune(text); len(runes) > maxText {
		return string(runes[:maxText]) + "… (longer than is read)"
	}
	return text
}
