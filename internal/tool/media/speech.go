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

//go:embed speech.md
var speechDoc string

type speechParams struct {
	Text       string  `json:"text"`
	Voice      string  `json:"voice,omitempty"`
	Speed      float64 `json:"speed,omitempty"`
	Format     string  `json:"format,omitempty" jsonschema:"mp3 (default), opus, aac, flac or wav"`
	Generation string  `json:"generation,omitempty" jsonschema:"of an earlier call, as its result says"`
	Reason     string  `json:"reason,omitempty"`
}

type speech struct{ writer }

// newSpeech returns the tool generate_speech.
func newSpeech(w writer) tool.Tool {
	return tool.Define(SpeechTool, chat.ClassIdempotent, speechDoc, speech{w}, tool.OnRunner)
}

func (speech) Summary(p speechParams) string { return p.Text }

func (s speech) Run(ctx context.Context, call tool.Call, p speechParams) (chat.ToolResult, error) {
	format, err := oneOf("format", p.Format, "mp3", "opus", "aac", "flac", "wav")
	if err == nil && p.Generation == "" {
		err = required("text", p.Text)
	}
	if err == nil && (p.Speed < 0 || p.Speed > 4) {
		err = fault.Errorf(fault.Invalid, "speed is between 0.25 and 4")
	}
	if err == nil && len(p.Voice) > 100 {
		err = fault.Errorf(fault.Invalid, "voice is the name of a voice")
	}
	if err != nil {
		return tool.FromError(err)
	}
	ending := func(mediaType string) string { return "." + cmp.Or(format, soundEnding(mediaType)) }
	r := media.Request{Kind: media.Speech, Prompt: p.Text, Voice: p.Voice, Speed: p.Speed, Format: format}
	return s.run(ctx, call, r, p.Generation, output{"audio", "tts_", ending, "recording"})
}

func soundEnding(mediaType string) string {
	switch mediaType {
	case "audio/flac", "audio/wav", "audio/aac":
		return mediaType[len("audio/"):]
	case "audio/ogg":
		return "opus"
	}
	return "mp3"
}
