// Package elevenlabs generates speech with the API of ElevenLabs.
//
// Sources: elevenlabs.io/docs/api-reference/text-to-speech/convert, …/voices/search, elevenlabs.io/docs/developers/resources/error-messages.
package elevenlabs

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
	"xbot/internal/media"
	"xbot/internal/media/mediahttp"
)

// Provider implements media.Provider.
type Provider struct{}

var _ media.Provider = Provider{}

const (
	maxSpeech = 10_000                 // characters of eleven_multilingual_v2
	usual     = "JBFqnCBsd6RMkjVDRZzb" // George, the voice of the documentation
)

// formats are the output formats of the API.
var formats = map[string]string{"mp3": "mp3_44100_128", "opus": "opus_48000_128", "wav": "wav_44100"}

// Model implements media.Provider.
func (Provider) Model(media.Kind) string { return "eleven_multilingual_v2" }

// Check implements media.Provider.
func (Provider) Check(_ toolkey.Access, r media.Request) error {
	switch {
	case len([]rune(r.Prompt)) > maxSpeech:
		return fault.Errorf(fault.Invalid, "the text has more than %d characters: speak it in several calls", maxSpeech)
	case r.Speed != 0 && (r.Speed < 0.7 || r.Speed > 1.2):
		return fault.Errorf(fault.Invalid, "ElevenLabs speaks at a speed between 0.7 and 1.2")
	case formats[cmp.Or(r.Format, "mp3")] == "":
		return fault.Errorf(fault.Invalid, "ElevenLabs makes mp3, opus or wav")
	}
	return nil
}

func reason(body []byte) mediahttp.Refusal {
	return mediahttp.Refusal{
		Code:    cmp.Or(mediahttp.Text(body, "detail", "code"), mediahttp.Text(body, "detail", "status")),
		Message: cmp.Or(mediahttp.Text(body, "detail", "message"), mediahttp.Text(body, "detail")),
	}
}

// Start implements media.Provider.
func (p Provider) Start(ctx context.Context, a toolkey.Access, r media.Request) (media.Result, error) {
	voice, err := voiceOf(ctx, a, r.Voice)
	if err != nil {
		return media.Result{}, err
	}
	body := map[string]any{"text": r.Prompt, "model_id": cmp.Or(a.Model, p.Model(r.Kind))}
	if r.Speed != 0 {
		body["voice_settings"] = map[string]any{"speed": r.Speed}
	}
	answer, err := mediahttp.Paid(ctx, a, mediahttp.Request{
		Path: "/text-to-speech/" + url.PathEscape(voice) + "?output_format=" + formats[cmp.Or(r.Format, "mp3")], Body: body, Reason: reason,
	})
	if err != nil {
		return media.Result{}, err
	}
	f, err := mediahttp.FileOf(media.Speech, answer.Body)
	out := media.Result{Files: []media.File{f}}
	if n, bad := strconv.ParseInt(answer.Header.Get("character-cost"), 10, 64); bad == nil {
		out.Usage.Units = n
	}
	return out, err
}

// anID matches the ids of voices.
var anID = regexp.MustCompile(`^[A-Za-z0-9]{20}$`)

// voiceOf returns the id of a voice that is given by its id or its name.
func voiceOf(ctx context.Context, a toolkey.Access, name string) (string, error) {
	if name == "" {
		return usual, nil
	}
	if anID.MatchString(name) {
		return name, nil
	}
	answer, err := mediahttp.Free(ctx, a, mediahttp.Request{Path: "/voices", Reason: reason})
	if err != nil {
		return "", err
	}
	var said struct {
		Voices []struct {
			ID   string `json:"voice_id"`
			Name string `json:"name"`
		} `json:"voices"`
	}
	if json.Unmarshal(answer.Body, &said) != nil {
		return "", fault.Errorf(fault.Unavailable, "the provider sent no list of voices")
	}
	var names []string
	for _, v := range said.Voices {
		first, _, _ := strings.Cut(v.Name, " ")
		if strings.EqualFold(v.Name, name) || strings.EqualFold(first, name) {
			return v.ID, nil
		}
		if len(names) < 30 {
			names = append(names, v.Name)
		}
	}
	return "", fault.Errorf(fault.Invalid, "there is no voice %.40q; the voices are %s", name, strings.Join(names, ", "))
}

// Poll implements media.Provider: there are no jobs.
func (Provider) Poll(context.Context, toolkey.Access, media.Kind, string) (media.Result, error) {
	return media.Result{}, fault.Errorf(fault.NotFound, "ElevenLabs has no jobs")
}

// Open implements media.Provider: there are no links.
func (Provider) Open(context.Context, toolkey.Access, string) (io.ReadCloser, int64, error) {
	return nil, 0, fault.Errorf(fault.NotFound, "ElevenLabs has no links")
}

// Cancel implements media.Provider.
func (Provider) Cancel(context.Context, toolkey.Access, string) error { return nil }
