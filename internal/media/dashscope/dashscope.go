// Package dashscope generates pictures with Qwen-Image and videos with Wan, through Alibaba Cloud Model Studio (DashScope).
//
// Sources: help.aliyun.com/zh/model-studio/qwen-image-api (multimodal-generation), help.aliyun.com/zh/model-studio/image-to-video-general-api-reference
// (asynchronous tasks of wan2.7), help.aliyun.com/zh/model-studio/error-code.
package dashscope

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
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
	maxPrompt  = 5000 // characters
	maxCount   = 6
	maxSources = 3
)

// Model implements media.Provider.
func (Provider) Model(kind media.Kind) string {
	if kind == media.Image {
		return "qwen-image-2.0"
	}
	return "wan2.7-t2v"
}

// Check implements media.Provider.
func (Provider) Check(_ toolkey.Access, r media.Request) error {
	switch {
	case len([]rune(r.Prompt)) > maxPrompt:
		return fault.Errorf(fault.Invalid, "the prompt has more than %d characters", maxPrompt)
	case r.Kind == media.Image && r.Count > maxCount:
		return fault.Errorf(fault.Invalid, "at most %d pictures are made at once", maxCount)
	case r.Kind == media.Image && len(r.Sources) > maxSources:
		return fault.Errorf(fault.Invalid, "at most %d pictures are edited at once", maxSources)
	case r.Kind == media.Image && r.Background == "transparent":
		return fault.Errorf(fault.Invalid, "Qwen makes no transparent background: leave background out")
	case r.Kind == media.Video && len(r.Sources) > 1:
		return fault.Errorf(fault.Invalid, "a video begins with one picture")
	case r.Kind == media.Video && (r.Seconds < 2 || r.Seconds > 15):
		return fault.Errorf(fault.Invalid, "Wan makes videos of 2 to 15 seconds")
	}
	return nil
}

// Start implements media.Provider.
func (p Provider) Start(ctx context.Context, a toolkey.Access, r media.Request) (media.Result, error) {
	model := cmp.Or(a.Model, p.Model(r.Kind))
	if r.Kind == media.Video {
		return film(ctx, a, model, r)
	}
	return draw(ctx, a, model, r)
}

// Open implements media.Provider. Links are valid for a day.
func (Provider) Open(ctx context.Context, a toolkey.Access, link string) (io.ReadCloser, int64, error) {
	return mediahttp.Open(ctx, a, link)
}

// Cancel implements media.Provider: a task that waits is cancelled, one that runs is not.
func (Provider) Cancel(ctx context.Context, a toolkey.Access, job string) error {
	_, err := mediahttp.Free(ctx, a, mediahttp.Request{Method: http.MethodPost, Path: "/tasks/" + url.PathEscape(job) + "/cancel", Reason: reason})
	return err
}

func reason(body []byte) mediahttp.Refusal {
	return mediahttp.Refusal{Code: mediahttp.Text(body, "code"), Message: mediahttp.Text(body, "message")}
}

func inline(f media.File) string {
	return "data:" + f.MediaType + ";base64," + base64.StdEncoding.EncodeToString(f.Data)
}

// draw generates or edits pictures. Their addresses come with the answer.
func draw(ctx context.Context, a toolkey.Access, model string, r media.Request) (media.Result, error) {
	var content []map[string]string
	for _, f := range r.Sources {
		content = append(content, map[string]string{"image": inline(f)})
	}
	content = append(content, map[string]string{"text": r.Prompt})
	parameters := map[string]any{"n": max(r.Count, 1), "watermark": false}
	if size := size(r.Shape); size != "" {
		parameters["size"] = size
	}
	answer, err := mediahttp.Paid(ctx, a, mediahttp.Request{Path: "/services/aigc/multimodal-generation/generation", Reason: reason, Body: map[string]any{
		"model": model, "input": map[string]any{"messages": []any{map[string]any{"role": "user", "content": content}}}, "parameters": parameters,
	}})
	if err != nil {
		return media.Result{}, err
	}
	var said struct {
		Output struct {
			Choices []struct {
				Message struct {
					Content []struct {
						Image string `json:"image"`
					} `json:"content"`
				} `json:"message"`
			} `json:"choices"`
		} `json:"output"`
	}
	if err := mediahttp.Decode(answer.Body, &said); err != nil {
		return media.Result{}, err
	}
	var out media.Result
	for _, choice := range said.Output.Choices {
		for _, c := range choice.Message.Content {
			if c.Image != "" {
				out.Links = append(out.Links, c.Image)
			}
		}
	}
	out.Usage.Units = int64(len(out.Links))
	return out, nil
}

func size(shape string) string {
	switch shape {
	case media.Square:
		return "1328*1328"
	case media.Landscape:
		return "1664*928"
	case media.Portrait:
		return "928*1664"
	}
	if w, h, ok := media.Pixels(shape); ok {
		return fmt.Sprintf("%d*%d", w, h)
	}
	return ""
}

// film starts a video. The models for text and for a first picture have different names.
func film(ctx context.Context, a toolkey.Access, model string, r media.Request) (media.Result, error) {
	input := map[string]any{"prompt": r.Prompt}
	parameters := map[string]any{"resolution": "720P", "duration": r.Seconds, "watermark": false}
	if len(r.Sources) > 0 {
		model = strings.Replace(model, "-t2v", "-i2v", 1)
		input["media"] = []any{map[string]string{"type": "first_frame", "url": inline(r.Sources[0])}}
	} else if ratio := media.Ratio(r.Shape, "16:9", "9:16", "1:1"); ratio != "" {
		parameters["ratio"] = ratio
	}
	answer, err := mediahttp.Paid(ctx, a, mediahttp.Request{
		Path: "/services/aigc/video-generation/video-synthesis", Header: map[string]string{"X-DashScope-Async": "enable"}, Reason: reason,
		Body: map[string]any{"model": model, "input": input, "parameters": parameters},
	})
	if err != nil {
		return media.Result{}, err
	}
	job := mediahttp.Text(answer.Body, "output", "task_id")
	if job == "" {
		return media.Result{}, media.Uncertain("the provider sent no task")
	}
	return media.Result{Job: job}, nil
}

// Poll implements media.Provider.
func (Provider) Poll(ctx context.Context, a toolkey.Access, _ media.Kind, job string) (media.Result, error) {
	answer, err := mediahttp.Free(ctx, a, mediahttp.Request{Path: "/tasks/" + url.PathEscape(job), Reason: reason})
	if err != nil {
		return media.Result{}, err
	}
	body := answer.Body
	switch status := mediahttp.Text(body, "output", "task_status"); status {
	case "SUCCEEDED":
		link := mediahttp.Text(body, "output", "video_url")
		if link == "" {
			return media.Result{}, media.Uncertain("the provider ended the task without a video")
		}
		out := media.Result{Job: job, Links: []string{link}}
		for _, name := range []string{"output_video_duration", "video_duration", "duration"} {
			if seconds, err := strconv.ParseFloat(mediahttp.Text(body, "usage", name), 64); err == nil && out.Usage.Units == 0 {
				out.Usage.Units = int64(seconds)
			}
		}
		return out, nil
	case "FAILED", "CANCELED":
		said := mediahttp.Said(a, mediahttp.Text(body, "output", "message"))
		if strings.HasPrefix(mediahttp.Text(body, "output", "code"), "DataInspection") {
			return media.Result{}, mediahttp.Content(said, 0)
		}
		return media.Result{}, fault.Errorf(fault.Invalid, "the provider could not make the video%s", said)
	case "UNKNOWN":
		return media.Result{}, fault.Errorf(fault.NotFound, "the provider does not know the task any more: it keeps one for a day")
	}
	return media.Result{Job: job}, nil
}
