// Package realtime implements the protocol of realtime services: OpenAI's Realtime API
// (https://platform.openai.com/docs/api-reference/realtime) in its current form and in the beta form that compatible servers speak
// (OpenAI-Beta: realtime=v1). It parses and builds events, and dials services.
package realtime

import (
	"encoding/json"
	"strings"
	"time"

	"xbot/internal/chat"
)

// Limits of a connection.
const (
	MaxClientFrame   = 1 << 20           // bytes of an event of the page; a second of audio has 64 kB
	MaxProviderFrame = 8 << 20           // bytes of an event of the service
	MaxInstructions  = 32_000            // characters of the system prompt
	MaxTools         = 128               // functions of a session
	MaxResult        = 4_000             // characters of a result of a function
	MaxText          = 100_000           // characters of a transcript
	MaxCalls         = 64                // function calls of a response
	maxArguments     = 200_000           // bytes of the arguments of a call
	bytesPerMS       = 24_000 / 1000 * 2 // of PCM16 with 24 kHz
)

// IDPrefix begins the client ids of spoken messages.
const IDPrefix = "voice-"

// ModelPrefix begins the names of realtime models in transcripts and in usage.
const ModelPrefix = "realtime/"

// StaleAfter is the age of seen_at after which a session or an exchange belongs to no process.
const StaleAfter = 15 * time.Second

// The types of events that this package reads or sends.
const (
	TypeSessionCreated   = "session.created"
	TypeSessionUpdate    = "session.update"
	TypeSessionUpdated   = "session.updated"
	TypeAppend           = "input_audio_buffer.append"
	TypeCommit           = "input_audio_buffer.commit"
	TypeClear            = "input_audio_buffer.clear"
	TypeCommitted        = "input_audio_buffer.committed"
	TypeCleared          = "input_audio_buffer.cleared"
	TypeSpeechStarted    = "input_audio_buffer.speech_started"
	TypeSpeechStopped    = "input_audio_buffer.speech_stopped"
	TypeItemCreate       = "conversation.item.create"
	TypeItemTruncate     = "conversation.item.truncate"
	TypeItemTruncated    = "conversation.item.truncated"
	TypeTranscribed      = "conversation.item.input_audio_transcription.completed"
	TypeTranscribing     = "conversation.item.input_audio_transcription.delta"
	TypeTranscribeFailed = "conversation.item.input_audio_transcription.failed"
	TypeResponseCreate   = "response.create"
	TypeResponseCancel   = "response.cancel"
	TypeResponseCreated  = "response.created"
	TypeResponseDone     = "response.done"
	TypeAudio            = "response.output_audio.delta"
	TypeAudioDone        = "response.output_audio.done"
	TypeTranscript       = "response.output_audio_transcript.delta"
	TypeText             = "response.output_text.delta"
	TypeError            = "error"
	// TypeToolCall is an event of xbot to the page.
	TypeToolCall = "s2s.tool_call"
)

// betaTypes maps event names of the beta form to the current names.
var betaTypes = map[string]string{
	"response.audio.delta": TypeAudio, "response.audio.done": TypeAudioDone, "response.audio_transcript.delta": TypeTranscript, "response.text.delta": TypeText,
}

// ActiveResponse is the error code of a response.create during a response.
const ActiveResponse = "conversation_already_has_active_response"

// Event is an event of a realtime service, or of the page. Fields that the type does not have are empty.
type Event struct {
	Type         string    `json:"type"`
	EventID      string    `json:"event_id,omitempty"`
	ItemID       string    `json:"item_id,omitempty"`
	ResponseID   string    `json:"response_id,omitempty"`
	ContentIndex int       `json:"content_index,omitempty"`
	AudioEndMS   int       `json:"audio_end_ms,omitempty"`
	Delta        string    `json:"delta,omitempty"`
	Transcript   string    `json:"transcript,omitempty"`
	Audio        string    `json:"audio,omitempty"`
	Session      *Session  `json:"session,omitempty"`
	Response     *Response `json:"response,omitempty"`
	Error        *Error    `json:"error,omitempty"`
}

// Session has the settings of a session that the proxy reads.
type Session struct {
	Type  string `json:"type,omitempty"` // realtime in the current form, empty in the beta form
	Model string `json:"model,omitempty"`
	// TurnDetection is the choice of the page: "server_vad", or "none" for push to talk.
	TurnDetection string `json:"turn_detection,omitempty"`
	Voice         string `json:"voice,omitempty"`
}

// UnmarshalJSON reads a session. A field of another type is ignored.
func (s *Session) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil //nolint:nilerr // a session of another form has no known field
	}
	for name, to := range map[string]*string{"type": &s.Type, "model": &s.Model, "turn_detection": &s.TurnDetection, "voice": &s.Voice} {
		_ = json.Unmarshal(fields[name], to) // a field of another type is ignored
	}
	return nil
}

// Response is a response of the model.
type Response struct {
	ID       string         `json:"id"`
	Status   string         `json:"status,omitempty"` // in_progress, completed, cancelled, incomplete, failed
	Output   []Item         `json:"output,omitempty"`
	Usage    *Usage         `json:"usage,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`
	Details  *struct {
		Reason string `json:"reason,omitempty"`
		Error  *Error `json:"error,omitempty"`
	} `json:"status_details,omitempty"`
}

// Item is an item of the conversation of a realtime session.
type Item struct {
	ID        string    `json:"id,omitempty"`
	Type      string    `json:"type"` // message, function_call, function_call_output
	Role      string    `json:"role,omitempty"`
	Content   []Content `json:"content,omitempty"`
	Name      string    `json:"name,omitempty"`
	CallID    string    `json:"call_id,omitempty"`
	Arguments string    `json:"arguments,omitempty"`
	Output    string    `json:"output,omitempty"`
}

// Content is a part of a message.
type Content struct {
	Type       string `json:"type"`
	Text       string `json:"text,omitempty"`
	Transcript string `json:"transcript,omitempty"`
}

// Usage is the usage of a response, in tokens.
type Usage struct {
	Input   int `json:"input_tokens"`
	Output  int `json:"output_tokens"`
	Details struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_token_details"`
}

// Error is an error of the service.
type Error struct {
	Type    string `json:"type,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	EventID string `json:"event_id,omitempty"`
}

// Parse reads an event. Names of the beta form become those of the current form. ok is false if the frame is not an event.
func Parse(frame []byte) (e Event, ok bool) {
	if json.Unmarshal(frame, &e) != nil {
		var typed struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(frame, &typed) != nil { // a field of an unexpected type drops the fields, not the event
			return Event{}, false
		}
		e = Event{Type: typed.Type}
	}
	if name, beta := betaTypes[e.Type]; beta {
		e.Type = name
	}
	return e, e.Type != ""
}

// AudioMS returns the duration of base64-encoded audio in milliseconds.
func AudioMS(encoded string) float64 {
	padding := len(encoded) - len(strings.TrimRight(encoded, "="))
	return float64(len(encoded)/4*3-padding) / bytesPerMS
}

// Answer is the answer of a realtime service in a step of a turn.
type Answer struct {
	Text   string     `json:"text"`
	Calls  []Call     `json:"calls,omitempty"`
	Finish string     `json:"finish"` // as of internal/llm
	Model  string     `json:"model"`
	Usage  chat.Usage `json:"usage"`
}

// StepAnswer is the state of the answer of a step.
type StepAnswer struct {
	Answer Answer
	// Wait is the remaining time of the audio of the answer, or the time until the next poll; 0: Answer is final.
	Wait time.Duration
	// Released means that the conversation's model answers the step.
	Released bool
}

// Call is a function that the model calls.
type Call struct {
	ID        string `json:"id"` // id at the service
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Calls returns the function calls of a response.
func (r Response) Calls() (out []Call) {
	for _, item := range r.Output {
		if item.Type != "function_call" || len(out) == MaxCalls {
			continue
		}
		c := Call{ID: item.CallID, Name: item.Name, Arguments: item.Arguments}
		if len(c.Arguments) > maxArguments {
			c.Arguments = "(arguments over the size limit)"
		}
		out = append(out, c)
	}
	return out
}

// Text returns the transcript of the messages of a response.
func (r Response) Text() string {
	var parts []string
	for _, item := range r.Output {
		for _, c := range item.Content {
			if text := strings.TrimSpace(c.Transcript + c.Text); item.Type == "message" && text != "" {
				parts = append(parts, text)
			}
		}
	}
	return Bounded(strings.Join(parts, "\n\n"), MaxText)
}

// Tokens returns the usage of a response.
func (r Response) Tokens() chat.Usage {
	if r.Usage == nil {
		return chat.Usage{}
	}
	return chat.Usage{PromptTokens: max(r.Usage.Input, 0), CachedTokens: max(r.Usage.Details.Cached, 0), CompletionTokens: max(r.Usage.Output, 0)}
}

// Exchange returns the exchange in the metadata of a response; empty: none.
func (r Response) Exchange() string {
	name, _ := r.Metadata["exchange"].(string)
	return name
}

// HeardPart returns the beginning of a transcript for the first heardMS of totalMS milliseconds of its audio, cut at a word.
func HeardPart(text string, heardMS, totalMS float64) string {
	if totalMS <= 0 || heardMS >= totalMS {
		return text
	}
	runes := []rune(text)
	n := int(float64(len(runes)) * max(heardMS, 0) / totalMS)
	if n >= len(runes) {
		return text
	}
	cut := string(runes[:n])
	if space := strings.LastIndexAny(cut, " \n"); space >= 0 && n < len(runes) && isWordRune(runes[n]) && len(cut)-space < maxWord {
		cut = cut[:space]
	}
	if cut = strings.TrimSpace(cut); cut == "" {
		return ""
	}
	return cut + " …"
}

// maxWord is the maximum length of a word in bytes. Longer runs without spaces, as in Chinese, are cut anywhere.
const maxWord = 30

func isWordRune(r rune) bool { return r != ' ' && r != '\n' }

// Bounded cuts a text to a number of characters.
func Bounded(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + " …"
	}
	return text
}
