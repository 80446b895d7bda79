// Package openai generates media with the API of OpenAI, and of every service that is compatible with it.
//
// Sources: developers.openai.com/api/reference/resources/images, …/audio/subresources/speech, …/videos; for compatible services
// docs.litellm.ai/docs/providers/openai/videos and docs.newapi.pro/api/openai-video.
package openai

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
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

// Limits of the API.
const (
	maxPrompt  = 32_000 // characters
	maxSpeech  = 4096   // characters
	maxSources = 16
)

// Voices are the built-in voices; compatible services have others.
var voices = []string{"alloy", "ash", "ballad", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer", "verse", "marin", "cedar"}

// Model implements media.Provider. gpt-image-1 was shut down in October 2026.
func (Provider) Model(kind media.Kind) string {
	switch kind {
	case media.Image:
		return "gpt-image-2.5-flare"
	case media.Speech:
		return "tts-1"
	default:
		return "sora-2"
	}
}

// Check implements media.Provider.
func (Provider) Check(a toolkey.Access, r media.Request) error {
	switch {
	case r.Kind == media.Speech && len([]rune(r.Prompt)) > maxSpeech:
		return fault.Errorf(fault.Invalid, "the text has more than %d characters: speak it in several calls", maxSpeech)
	case r.Kind == media.Speech && r.Voice != "" && official(a) && !slices.Contains(voices, strings.ToLower(r.Voice)):
		return fault.Errorf(fault.Invalid, "there is no voice %.40q; the voices are %s", r.Voice, strings.Join(voices, ", "))
	case r.Speed != 0 && (r.Speed < 0.25 || r.Speed > 4):
		return fault.Errorf(fault.Invalid, "speed is between 0.25 and 4")
	case len([]rune(r.Prompt)) > maxPrompt:
		return fault.Errorf(fault.Invalid, "the prompt has more than %d characters", maxPrompt)
	case r.Kind == media.Image && len(r.Sources) > maxSources:
		return fault.Errorf(fault.Invalid, "at most %d pictures are edited at once", maxSources)
	case r.Kind == media.Video && len(r.Sources) > 1:
		return fault.Errorf(fault.Invalid, "a video begins with one picture")
	}
	return nil
}

// official reports whether an access leads to OpenAI.
func official(a toolkey.Access) bool { return strings.HasPrefix(a.BaseURL, "https://api.openai.com/") }

// Start implements media.Provider.
func (p Provider) Start(ctx context.Context, a toolkey.Access, r media.Request) (media.Result, error) {
	model := cmp.Or(a.Model, p.Model(r.Kind))
	switch {
	case r.Kind == media.Speech:
		return speak(ctx, a, model, r)
	case r.Kind == media.Video:
		return film(ctx, a, model, r)
	case len(r.Sources) > 0:
		return edit(ctx, a, model, r)
	}
	return draw(ctx, a, model, r)
}

// Poll implements media.Provider.
func (Provider) Poll(ctx context.Context, a toolkey.Access, _ media.Kind, job string) (media.Result, error) {
	answer, err := mediahttp.Free(ctx, a, mediahttp.Request{Path: "/videos/" + url.PathEscape(job), Reason: reason})
	if err != nil {
		return media.Result{}, err
	}
	return videoOf(a, answer.Body)
}

// Open implements media.Provider.
func (Provider) Open(ctx context.Context, a toolkey.Access, link string) (io.ReadCloser, int64, error) {
	return mediahttp.Open(ctx, a, link)
}

// Cancel implements media.Provider: a deleted video is not finished.
func (Provider) Cancel(ctx context.Context, a toolkey.Access, job string) error {
	_, err := mediahttp.Free(ctx, a, mediahttp.Request{Method: http.MethodDelete, Path: "/videos/" + url.PathEscape(job), Reason: reason})
	return err
}

// reason reads {"error": {"code", "message", "type"}}, and the forms of compatible services.
func reason(body []byte) mediahttp.Refusal {
	return mediahttp.Refusal{
		Code:    cmp.Or(mediahttp.Text(body, "error", "code"), mediahttp.Text(body, "error", "type"), mediahttp.Text(body, "code")),
		Message: cmp.Or(mediahttp.Text(body, "error", "message"), mediahttp.Text(body, "error"), mediahttp.Text(body, "message"), mediahttp.Text(body, "detail")),
	}
}

// size returns the size of a picture in pixels; empty: the model chooses.
func size(shape string) string {
	switch shape {
	case media.Square:
		return "1024x1024"
	case media.Landscape:
		return "1536x1024"
	case media.Portrait:
		return "1024x1536"
	}
	return strings.ToLower(shape)
}

// draw generates pictures.
func draw(ctx context.Context, a toolkey.Access, model string, r media.Request) (media.Result, error) {
	body := map[string]any{"model": model, "prompt": r.Prompt, "n": max(r.Count, 1)}
	for name, value := range map[string]string{"size": size(r.Shape), "quality": r.Quality, "background": r.Background} {
		if value != "" {
			body[name] = value
		}
	}
	answer, err := mediahttp.Paid(ctx, a, mediahttp.Request{Path: "/images/generations", Body: body, Reason: reason})
	if err != nil {
		return media.Result{}, err
	}
	return pictures(answer.Body)
}

// edit changes pictures.
func edit(ctx context.Context, a toolkey.Access, model string, r media.Request) (media.Result, error) {
	form, err := formOf(map[string]string{
		"model": model, "prompt": r.Prompt, "n": strconv.Itoa(max(r.Count, 1)), "size": size(r.Shape), "quality": r.Quality, "background": r.Background,
	}, "image[]", r.Sources)
	if err != nil {
		return media.Result{}, err
	}
	answer, err := mediahttp.Paid(ctx, a, mediahttp.Request{Path: "/images/edits", Body: form, Reason: reason})
	if err != nil {
		return media.Result{}, err
	}
	return pictures(answer.Body)
}

// formOf returns a form with the fields that have values, and files.
func formOf(fields map[string]string, field string, files []media.File) (mediahttp.Form, error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range fields {
		if value == "" {
			continue
		}
		if err := w.WriteField(name, value); err != nil {
			return mediahttp.Form{}, err
		}
	}
	for i, f := range files {
		h := textproto.MIMEHeader{}
		h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="%s"; filename="picture%d%s"`, field, i+1, ending(f.MediaType)))
		h.Set("Content-Type", f.MediaType)
		part, err := w.CreatePart(h)
		if err != nil {
			return mediahttp.Form{}, err
		}
		if _, err := part.Write(f.Data); err != nil {
			return mediahttp.Form{}, err
		}
	}
	if err := w.Close(); err != nil {
		return mediahttp.Form{}, err
	}
	return mediahttp.Form{Type: w.FormDataContentType(), Data: b.Bytes()}, nil
}

func ending(mediaType string) string { return "." + strings.TrimPrefix(mediaType, "image/") }

// pictures reads the answer of both endpoints: each picture is in base64 or has an address.
func pictures(body []byte) (media.Result, error) {
	var said struct {
		Data []struct {
			Base64 string `json:"b64_json"`
			URL    string `json:"url"`
		} `json:"data"`
		Usage struct {
			Output  int64 `json:"output_tokens"`
			Input   int64 `json:"input_tokens"`
			Details struct {
				Text  int64 `json:"text_tokens"`
				Image int64 `json:"image_tokens"`
			} `json:"input_tokens_details"`
		} `json:"usage"`
	}
	if err := mediahttp.Decode(body, &said); err != nil {
		return media.Result{}, err
	}
	u := said.Usage
	out := media.Result{Usage: media.Usage{Units: int64(len(said.Data)), TextTokens: u.Details.Text, ImageTokens: u.Details.Image, Tokens: u.Output}}
	if u.Details.Text == 0 && u.Details.Image == 0 {
		out.Usage.TextTokens = u.Input
	}
	for _, one := range said.Data {
		switch {
		case one.Base64 != "":
			f, err := mediahttp.Picture(one.Base64)
			if err != nil {
				return media.Result{}, err
			}
			out.Files = append(out.Files, f)
		case strings.HasPrefix(one.URL, "data:"):
			f, err := mediahttp.Picture(one.URL)
			if err != nil {
				return media.Result{}, err
			}
			out.Files = append(out.Files, f)
		case one.URL != "":
			out.Links = append(out.Links, one.URL)
		}
	}
	if len(out.Files) > 0 { // some in base64, some by address: no service does so
		out.Links = nil
	}
	return out, nil
}

// speak generates a recording.
func speak(ctx context.Context, a toolkey.Access, model string, r media.Request) (media.Result, error) {
	body := map[string]any{"model": model, "input": r.Prompt, "voice": cmp.Or(strings.ToLower(r.Voice), "alloy"), "response_format": cmp.Or(r.Format, "mp3")}
	if !official(a) && r.Voice != "" {
		body["voice"] = r.Voice
	}
	if r.Speed != 0 {
		body["speed"] = r.Speed
	}
	answer, err := mediahttp.Paid(ctx, a, mediahttp.Request{Path: "/audio/speech", Body: body, Reason: reason})
	if err != nil {
		return media.Result{}, err
	}
	f, err := mediahttp.FileOf(media.Speech, answer.Body)
	return media.Result{Files: []media.File{f}}, err
}

// film starts a video.
func film(ctx context.Context, a toolkey.Access, model string, r media.Request) (media.Result, error) {
	frame := strings.ToLower(r.Shape)
	switch r.Shape {
	case media.Landscape, media.Square:
		frame = "1280x720"
	case media.Portrait:
		frame = "720x1280"
	}
	form, err := formOf(map[string]string{"model": model, "prompt": r.Prompt, "seconds": strconv.Itoa(r.Seconds), "size": frame}, "input_reference", r.Sources)
	if err != nil {
		return media.Result{}, err
	}
	answer, err := mediahttp.Paid(ctx, a, mediahttp.Request{Path: "/videos", Body: form, Reason: reason})
	if err != nil {
		return media.Result{}, err
	}
	out, err := videoOf(a, answer.Body)
	if fault.Is(err, fault.NotFound) { // the request was accepted, and what came is no job
		err = media.Uncertain("%w", err)
	}
	return out, err
}

// videoOf reads a video job.
func videoOf(a toolkey.Access, body []byte) (media.Result, error) {
	id, status := mediahttp.Text(body, "id"), mediahttp.Text(body, "status")
	percent, _ := strconv.ParseFloat(mediahttp.Text(body, "progress"), 64) // missing at some services
	switch status {
	case "completed", "succeeded", "success":
		out := media.Result{Job: id, Links: []string{a.BaseURL + "/videos/" + url.PathEscape(id) + "/content"}}
		if seconds, err := strconv.ParseFloat(mediahttp.Text(body, "seconds"), 64); err == nil {
			out.Usage.Units = int64(seconds)
		}
		return out, nil
	case "failed", "cancelled", "canceled", "error":
		why := reason(body)
		said := mediahttp.Said(a, why.Message)
		switch why.Code {
		case "moderation_blocked", "content_policy_violation", "input_moderation", "output_moderation":
			return media.Result{}, mediahttp.Content(said, 0)
		}
		return media.Result{}, fault.Errorf(fault.Invalid, "the provider could not make the video%s", said)
	}
	if id == "" {
		return media.Result{}, fault.Errorf(fault.NotFound, "the provider sent no job")
	}
	return media.Result{Job: id, Percent: int(percent)}, nil
}
