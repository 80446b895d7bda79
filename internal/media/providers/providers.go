// Package providers has all providers of media by their names.
package providers

import (
	"xbot/internal/extension/toolkey"
	"xbot/internal/media"
	"xbot/internal/media/dashscope"
	"xbot/internal/media/elevenlabs"
	"xbot/internal/media/gemini"
	"xbot/internal/media/minimax"
	"xbot/internal/media/openai"
)

// All returns the providers that a key can name.
func All() media.Providers {
	return media.Providers{
		toolkey.OpenAI: openai.Provider{}, toolkey.Gemini: gemini.Provider{}, toolkey.DashScope: dashscope.Provider{}, toolkey.ElevenLabs: elevenlabs.Provider{},
		toolkey.MiniMax: minimax.Provider{},
	}
}
