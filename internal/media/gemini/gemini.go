// Package gemini generates pictures with the image models of Google's Gemini API, and videos with Veo.
//
// Sources: ai.google.dev/gemini-api/docs/image-generation (generateContent with pictures inline), ai.google.dev/gemini-api/docs/video
// (predictLongRunning and its operations), ai.google.dev/api/generate-content (finish reasons).
package gemini

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
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
	maxPrompt  = 32_000 // characters
	maxSources = 14
)

// Model implements media.Provider.
func (Provider) Model(kind media.Kind) string {
	if kind == media.Image {
		return "gemini-nano-banana-2.1"
	}
	return "veo-3.1-fast-generate-preview"
}

// Check implements media.Provider.
func (Provider) Check(_ toolkey.Access, r media.Request) error {
	switch {
	case len([]rune(r.Prompt)) > maxPrompt:
		return fault.Errorf(fault.Invalid, "the prompt has more than %d characters", maxPrompt)
	case r.Kind == media.Image && r.Count > 1:
		return fault.Errorf(fault.Invalid, "Gemini makes one picture a call: leave count out, and call again for another one")
	case r.Kind == media.Image && len(r.Sources) > maxSources:
		return fault.Errorf(fault.Invalid, "at most %d pictures are edited at once", maxSources)
	case r.Kind == media.Image && r.Background == "transparent":
		return fault.Errorf(fault.Invalid, "Gemini makes no transparent background: leave background out")
	case r.Kind == media.Video && len(r.Sources) > 1:
		return fault.Errorf(fault.Invalid, "a video begins with one picture")
	case r.Kind == media.Video && r.Seconds != 4 && r.Seconds != 6 && r.Seconds != 8:
		return fault.Errorf(fault.Invalid, "Veo makes videos of 4, 6 or 8 seconds")
	}
	return nil
}

// Start implements media.Provider.
func (p Provider) Start(ctx context.Context, a toolkey.Access, r media.Request) (media.Result, error) {
	model := url.PathEscape(strings.TrimPrefix(cmp.Or(a.Model, p.Model(r.Kind)), "models/"))
	if r.Kind == media.Video {
		return film(ctx, a, model, r)
	}
	return draw(ctx, a, model, r)
}

// Open implements media.Provider.
func (Provider) Open(ctx context.Context, a toolkey.Access, link string) (io.ReadCloser, int64, error) {
	return mediahttp.Open(ctx, a, link)
}

// Cancel implements media.Provider: the API cannot cancel Veo's operations.
func (Provider) Cancel(context.Context, toolkey.Access, string) error {
	return fault.Errorf(fault.Invalid, "Gemini cancels no videos")
}

func reason(body []byte) mediahttp.Refusal {
	why := mediahttp.Refusal{Message: mediahttp.Text(body, "error", "message")}
	switch {
	case strings.Contains(string(body), "API_KEY_INVALID"): // it comes with status 400
		why.Code = "invalid_api_key"
	case mediahttp.Text(body, "error", "status") == "RESOURCE_EXHAUSTED" && strings.Contains(why.Message, "billing"):
		why.Code = "insufficient_quota"
	}
	return why
}

// part is a piece of a content: text, or a file inline.
type part struct {
	Text   string `json:"text,omitempty"`
	Inline *blob  `json:"inlineData,omitempty"`
}

type blob struct {
	MediaType string `json:"mimeType"`
	Data      string `json:"data"`
}

// draw generates or edits a picture.
func draw(ctx context.Context, a toolkey.Access, model string, r media.Request) (media.Result, error) {
	parts := []part{{Text: r.Prompt}}
	for _, f := range r.Sources {
		parts = append(parts, part{Inline: &blob{f.MediaType, base64.StdEncoding.EncodeToString(f.Data)}})
	}
	config := map[string]any{"responseModalities": []string{"TEXT", "IMAGE"}}
	if ratio := media.Ratio(r.Shape, "1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"); ratio != "" {
		config["imageConfig"] = map[string]any{"aspectRatio": ratio}
	}
	answer, err := mediahttp.Paid(ctx, a, mediahttp.Request{
		Path: "/models/" + model + ":generateContent", Reason: reason,
		Body: map[string]any{"contents": []any{map[string]any{"role": "user", "parts": parts}}, "generationConfig": config},
	})
	if err != nil {
		return media.Result{}, err
	}
	return pictureOf(a, answer.Body)
}

// pictureOf reads the picture of an answer.
func pictureOf(a toolkey.Access, body []byte) (media.Result, error) {
	var said struct {
		Candidates []struct {
			Content struct {
				Parts []struct {
					part

					Thought bool `json:"thought"` // a draft
				} `json:"parts"`
			} `json:"content"`
			Finish  string `json:"finishReason"`
			Message string `json:"finishMessage"`
		} `json:"candidates"`
		Feedback struct {
			Block string `json:"blockReason"`
		} `json:"promptFeedback"`
		Usage struct {
			Prompt int64 `json:"promptTokenCount"`
			Output int64 `json:"candidatesTokenCount"`
		} `json:"usageMetadata"`
	}
	if err := mediahttp.Decode(body, &said); err != nil {
		return media.Result{}, err
	}
	if said.Feedback.Block != "" {
		return media.Result{}, mediahttp.Content(": "+said.Feedback.Block, 0)
	}
	out := media.Result{Usage: media.Usage{Units: 1, TextTokens: said.Usage.Prompt, Tokens: said.Usage.Output}}
	words, finish := "", ""
	for _, c := range said.Candidates {
		finish = cmp.Or(finish, c.Finish)
		for _, p := range c.Content.Parts {
			words += p.Text
			if p.Inline == nil || p.Thought || len(out.Files) > 0 {
				continue
			}
			f, err := mediahttp.Picture(p.Inline.Data)
			if err != nil {
				return media.Result{}, err
			}
			out.Files = append(out.Files, f)
		}
		words = cmp.Or(c.Message, words)
	}
	if len(out.Files) > 0 {
		return out, nil
	}
	switch finish {
	case "SAFETY", "IMAGE_SAFETY", "PROHIBITED_CONTENT", "IMAGE_PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "IMAGE_RECITATION":
		return media.Result{}, mediahttp.Content(": "+finish, 0)
	}
	return media.Result{}, media.Uncertain("the model answered without a picture (%s)%s", cmp.Or(finish, "no reason"), mediahttp.Said(a, words))
}

// film starts a video.
func film(ctx context.Context, a toolkey.Access, model string, r media.Request) (media.Result, error) {
	instance := map[string]any{"prompt": r.Prompt}
	for _, f := range r.Sources {
		instance["image"] = map[string]string{"mimeType": f.MediaType, "bytesBase64Encoded": base64.StdEncoding.EncodeToString(f.Data)}
	}
	parameters := map[string]any{"durationSeconds": r.Seconds}
	if ratio := media.Ratio(r.Shape, "16:9", "9:16"); ratio != "" {
		parameters["aspectRatio"] = ratio
	}
	answer, err := mediahttp.Paid(ctx, a, mediahttp.Request{
		Path: "/models/" + model + ":predictLongRunning", Reason: reason, Body: map[string]any{"instances": []any{instance}, "parameters": parameters},
	})
	if err != nil {
		return media.Result{}, err
	}
	name := mediahttp.Text(answer.Body, "name")
	if name == "" {
		return media.Result{}, media.Uncertain("the provider sent no operation")
	}
	return media.Result{Job: name}, nil
}

// Poll implements media.Provider. A job is the name of an operation, such as models/veo/operations/1.
func (Provider) Poll(ctx context.Context, a toolkey.Access, _ media.Kind, job string) (media.Result, error) {
	if strings.Contains(job, "..") || strings.ContainsAny(job, "?#") {
		return media.Result{}, fault.Errorf(fault.NotFound, "the provider sent a job that has no address")
	}
	answer, err := mediahttp.Free(ctx, a, mediahttp.Request{Path: "/" + job, Reason: reason})
	if err != nil {
		return media.Result{}, err
	}
	var said struct {
		Done  bool `json:"done"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
		Response struct {
			Video struct {
				Samples []struct {
					Video struct {
						URI string `json:"uri"`
					} `json:"video"`
				} `json:"generatedSamples"`
				Filtered int      `json:"raiMediaFilteredCount"`
				Reasons  []string `json:"raiMediaFilteredReasons"`
			} `json:"generateVideoResponse"`
		} `json:"response"`
	}
	if err := json.Unmarshal(answer.Body, &said); err != nil {
		return media.Result{}, fault.Errorf(fault.Unavailable, "the provider sent no JSON")
	}
	video := said.Response.Video
	switch {
	case !said.Done:
		return media.Result{Job: job}, nil
	case said.Error.Message != "":
		return media.Result{}, fault.Errorf(fault.Invalid, "the provider could not make the video%s", mediahttp.Said(a, said.Error.Message))
	case len(video.Samples) > 0 && video.Samples[0].Video.URI != "":
		return media.Result{Job: job, Links: []string{video.Samples[0].Video.URI}}, nil
	case video.Filtered > 0 || len(video.Reasons) > 0:
		return media.Result{}, mediahttp.Content(mediahttp.Said(a, strings.Join(video.Reasons, " ")), 0)
	}
	return media.Result{}, media.Uncertain("the provider ended the job without a video")
}
