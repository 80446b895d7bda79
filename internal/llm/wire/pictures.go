package wire

import (
	"regexp"
	"slices"
	"strings"

	"xbot/internal/llm"
)

// unseen is the text that replaces a picture for a model that reads none.
const unseen = "(A picture, which this model cannot read.)"

var (
	// picturesRefused matches errors of services that say that a model reads no pictures, in lower case: OpenRouter, DeepSeek, llama.cpp, Ollama, LM Studio, Volcengine,
	// OpenCode, OpenAI, DashScope, Groq, vLLM, SiliconFlow, Zhipu. The sources are in the tests.
	picturesRefused = regexp.MustCompile("(?:not|n't|found that) support (?:the )?(?:image|vision)|image input is not supported|unknown variant `image_url`|" +
		"only supports text input|image_url is only supported by|missing data required for image|not a (?:multimodal|vision|vlm)|unexpected item type in content|" +
		`content must be a string|messages\.content\.type .*\['text'\]`)
	// onePicture matches errors about a single picture: its format, its size or its position.
	onePicture = regexp.MustCompile(`images? (?:format|type|size|media|of|in|with|larger)\b|mime`)
)

// PicturesRefused reports whether a service has refused a request because its model reads no pictures. The status is not considered, since services
// use different ones: OpenRouter 404, llama.cpp and Ollama 500.
func PicturesRefused(r *Refusal, messages []llm.Message) bool {
	shows := slices.ContainsFunc(messages, func(m llm.Message) bool { return len(m.Pictures) > 0 })
	return shows && picturesRefused.MatchString(r.Text()) && !onePicture.MatchString(r.Text())
}

// Unseen returns tidy messages with a text in place of each picture, for models that read none. Messages without pictures are returned unchanged.
func Unseen(tidy []llm.Message) []llm.Message {
	if !slices.ContainsFunc(tidy, func(m llm.Message) bool { return len(m.Pictures) > 0 }) {
		return tidy
	}
	out := slices.Clone(tidy)
	for i, m := range out {
		out[i].Content = strings.TrimPrefix(m.Content+strings.Repeat("\n"+unseen, len(m.Pictures)), "\n")
		out[i].Pictures = nil
	}
	return out
}
