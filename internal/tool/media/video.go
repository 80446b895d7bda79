package media

import (
	"cmp"
	"context"
	_ "embed"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/media"
	"xbot/internal/tool"
)

//go:embed video.md
var videoDoc string

// Lengths of a video, in seconds.
const (
	usualSeconds = 4
	maxSeconds   = 20
)

type videoParams struct {
	Prompt     string `json:"prompt"`
	Seconds    int    `json:"seconds,omitempty"`
	Size       string `json:"size,omitempty" jsonschema:"landscape, portrait or WIDTHxHEIGHT"`
	Image      string `json:"image,omitempty" jsonschema:"path of the picture it begins with"`
	Generation string `json:"generation,omitempty" jsonschema:"of an earlier call, as its result says"`
	Reason     string `json:"reason,omitempty"`
}

type video struct{ writer }

// newVideo returns the tool generate_video.
func newVideo(w writer) tool.Tool {
	return tool.Define(VideoTool, chat.ClassIdempotent, videoDoc, video{w}, tool.OnRunner)
}

func (video) Summary(p videoParams) string { return p.Prompt }

func (v video) Run(ctx context.Context, call tool.Call, p videoParams) (chat.ToolResult, error) {
	r := media.Request{Kind: media.Video, Prompt: p.Prompt, Seconds: cmp.Or(p.Seconds, usualSeconds)}
	if p.Generation == "" {
		var err error
		if r, err = v.request(ctx, call, p, r); err != nil {
			return tool.FromError(err)
		}
	}
	return v.run(ctx, call, r, p.Generation, output{"videos", "video_", videoEnding, "video"})
}

func (v video) request(ctx context.Context, call tool.Call, p videoParams, r media.Request) (media.Request, error) {
	if err := required("prompt", p.Prompt); err != nil {
		return r, err
	}
	if r.Seconds < 1 || r.Seconds > maxSeconds {
		return r, fault.Errorf(fault.Invalid, "seconds is between 1 and %d", maxSeconds)
	}
	var err error
	if r.Shape, err = shapeOf(p.Size); err != nil || p.Image == "" {
		return r, err
	}
	r.Sources, err = pictures(ctx, call, []string{p.Image}, 1)
	return r, err
}

func videoEnding(mediaType string) string {
	if mediaType == "video/webm" {
		return ".webm"
	}
	return ".mp4"
}
