package media

import (
	"context"
	_ "embed"
	"errors"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/media"
	"xbot/internal/tool"
)

//go:embed image.md
var imageDoc string

// Limits of one call.
const (
	maxCount   = 4
	maxPrompt  = 32_000 // characters
	maxSources = 8
)

type imageParams struct {
	Prompt     string   `json:"prompt"`
	Images     []string `json:"images,omitempty" jsonschema:"paths of pictures to edit or combine"`
	Size       string   `json:"size,omitempty" jsonschema:"square, landscape, portrait or WIDTHxHEIGHT"`
	Background string   `json:"background,omitempty" jsonschema:"transparent or opaque"`
	Quality    string   `json:"quality,omitempty" jsonschema:"low, medium or high"`
	Count      int      `json:"count,omitempty"`
	Generation string   `json:"generation,omitempty" jsonschema:"of an earlier call, as its result says"`
	Reason     string   `json:"reason,omitempty"`
}

type image struct{ writer }

// newImage returns the tool generate_image.
func newImage(w writer) tool.Tool {
	return tool.Define(ImageTool, chat.ClassIdempotent, imageDoc, image{w}, tool.OnRunner)
}

func (image) Summary(p imageParams) string { return p.Prompt }

func (i image) Run(ctx context.Context, call tool.Call, p imageParams) (chat.ToolResult, error) {
	r := media.Request{Kind: media.Image, Prompt: p.Prompt, Count: max(p.Count, 1)}
	if p.Generation == "" {
		var err error
		if r, err = i.request(ctx, call, p, r); err != nil {
			return tool.FromError(err)
		}
	}
	return i.run(ctx, call, r, p.Generation, output{"images", "img_", pictureEnding, "picture"})
}

func (i image) request(ctx context.Context, call tool.Call, p imageParams, r media.Request) (media.Request, error) {
	var errs [5]error
	errs[0] = required("prompt", p.Prompt)
	r.Shape, errs[1] = shapeOf(p.Size)
	r.Background, errs[2] = oneOf("background", p.Background, "transparent", "opaque")
	r.Quality, errs[3] = oneOf("quality", p.Quality, "low", "medium", "high")
	if p.Count < 0 || p.Count > maxCount {
		errs[4] = fault.Errorf(fault.Invalid, "count is between 1 and %d", maxCount)
	}
	if err := first(errs[:]); err != nil {
		return r, err
	}
	if len([]rune(p.Prompt)) > maxPrompt {
		return r, fault.Errorf(fault.Invalid, "the prompt has more than %d characters", maxPrompt)
	}
	var err error
	r.Sources, err = pictures(ctx, call, p.Images, maxSources)
	return r, err
}

// first returns the first of some errors.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return errors.Join()
}

func pictureEnding(mediaType string) string {
	switch mediaType {
	case "image/jpeg":
		return ".jpg"
	case "image/png", "image/webp", "image/gif", "image/bmp":
		return "." + strings.TrimPrefix(mediaType, "image/")
	}
	return ".png"
}
