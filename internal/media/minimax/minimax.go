// Package minimax generates speech with the API of MiniMax.
//
// Sources: platform.minimax.io/docs/api-reference/speech-t2a-http.md, platform.minimax.io/docs/api-reference/errorcode.
package minimax

import (
	"cmp"
	"context"
	"encoding/hex"
	"io"

	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
	"xbot/internal/media"
	"xbot/internal/media/mediahttp"
)

// Provider implements media.Provider.
type Provider struct{}

var _ media.Provider = Provider{}

const (
	maxSpeech = 9_999 // characters
	usual     = "English_Graceful_Lady"
)

// Model implements media.Provider.
func (Provider) Model(media.Kind) string { return "speech-2.8-hd" }

// Check implements media.Provider.
func (Provider) Check(_ toolkey.Access, r media.Request) error {
	switch f := cmp.Or(r.Format, "mp3"); {
	case len([]rune(r.Prompt)) > maxSpeech:
		return fault.Errorf(fault.Invalid, "the text has more than %d characters: speak it in several calls", maxSpeech)
	case r.Speed != 0 && (r.Speed < 0.5 || r.Speed > 2):
		return fault.Errorf(fault.Invalid, "MiniMax speaks at a speed between 0.5 and 2")
	case f != "mp3" && f != "flac" && f != "wav":
		return fault.Errorf(fault.Invalid, "MiniMax makes mp3, flac or wav")
	}
	return nil
}

// Start implements media.Provider.
func (p Provider) Start(ctx context.Context, a toolkey.Access, r media.Request) (media.Result, error) {
	answer, err := mediahttp.Paid(ctx, a, mediahttp.Request{Path: "/t2a_v2", Reason: reason, Body: map[string]any{
		"model": cmp.Or(a.Model, p.Model(r.Kind)), "text": r.Prompt, "stream": false, "output_format": "hex",
		"voice_setting": map[string]any{"voice_id": cmp.Or(r.Voice, usual), "speed": cmp.Or(r.Speed, 1), "vol": 1, "pitch": 0},
		"audio_setting": map[string]any{"sample_rate": 32000, "bitrate": 128000, "format": cmp.Or(r.Format, "mp3"), "channel": 1},
	}})
	if err != nil {
		return media.Result{}, err
	}
	var said struct {
		Data struct {
			Audio string `json:"audio"`
		} `json:"data"`
		Extra struct {
			Characters int64 `json:"usage_characters"`
		} `json:"extra_info"`
		Base struct {
			Code    int    `json:"status_code"`
			Message string `json:"status_msg"`
		} `json:"base_resp"`
	}
	if err := mediahttp.Decode(answer.Body, &said); err != nil {
		return media.Result{}, err
	}
	if err := refused(a, said.Base.Code, said.Base.Message); err != nil {
		return media.Result{}, err
	}
	data, err := hex.DecodeString(said.Data.Audio)
	if err != nil || len(data) == 0 {
		return media.Result{}, media.Uncertain("the provider sent no sound")
	}
	f, err := mediahttp.FileOf(media.Speech, data)
	return media.Result{Files: []media.File{f}, Usage: media.Usage{Units: said.Extra.Characters}}, err
}

func reason(body []byte) mediahttp.Refusal {
	return mediahttp.Refusal{Message: mediahttp.Text(body, "base_resp", "status_msg")}
}

// refused returns the error for a code in the body of an answer, which has status 200; nil for 0.
func refused(a toolkey.Access, code int, message string) error {
	said := mediahttp.Said(a, message)
	switch code {
	case 0:
		return nil
	case 1002, 1039, 1041: // requests, tokens or connections in a minute
		return fault.Errorf(fault.RateLimited, "the provider has had too many requests (%d)%s", code, said)
	case 1004, 2049:
		return fault.Errorf(fault.Denied, "the provider does not accept the key (%d): enter another one under Settings, Models and keys", code)
	case 1008, 1031, 2056:
		return fault.Errorf(fault.Denied, "the account at the provider has no credit left (%d)%s", code, said)
	case 1026, 1027, 1042:
		return mediahttp.Content(said, 0)
	case 1000, 1001, 1013, 1024, 1033: // it timed out or failed within
		return media.Uncertain("the provider failed (%d)%s", code, said)
	}
	return fault.Errorf(fault.Invalid, "the provider refused the request (%d)%s", code, said)
}

// Poll implements media.Provider: there are no jobs.
func (Provider) Poll(context.Context, toolkey.Access, media.Kind, string) (media.Result, error) {
	return media.Result{}, fault.Errorf(fault.NotFound, "MiniMax speech has no jobs")
}

// Open implements media.Provider: there are no links.
func (Provider) Open(context.Context, toolkey.Access, string) (io.ReadCloser, int64, error) {
	return nil, 0, fault.Errorf(fault.NotFound, "MiniMax speech has no links")
}

// Cancel implements media.Provider.
func (Provider) Cancel(context.Context, toolkey.Access, string) error { return nil }
