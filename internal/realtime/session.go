package realtime

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/tool"
)

// Setup has the settings of a session.
type Setup struct {
	Instructions string
	Tools        []tool.Spec
	// Manual is push to talk: the page commits the audio. Otherwise the service detects the end of speech.
	Manual bool
	Voice  string // empty: the default of the service
}

// usualTranscriber is the model that transcribes the speech of users.
const usualTranscriber = "whisper-1"

// preface precedes the system prompt in the instructions.
const preface = "You talk with the user by voice. Speak the user's language. Answer in a few spoken sentences, without Markdown, lists, tables, addresses or code; " +
	"offer to write down what is better read. Before you call a tool that takes time, say in a few words what you are doing.\n\n"

// functionName matches function names that the API accepts.
var functionName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

type object = map[string]any

// Update returns the session.update event, in the beta form or the current form.
func (s Setup) Update(beta bool) []byte {
	if beta {
		return encode(object{"type": TypeSessionUpdate, "session": s.beta()})
	}
	return encode(object{"type": TypeSessionUpdate, "session": s.current()})
}

func (s Setup) current() object {
	format := object{"type": "audio/pcm", "rate": 24000}
	output := object{"format": format}
	if s.Voice != "" {
		output["voice"] = s.Voice
	}
	return object{
		"type": "realtime", "instructions": s.instructions(), "tools": s.functions(), "tool_choice": "auto", "output_modalities": []string{"audio"},
		"audio": object{
			"input":  object{"format": format, "transcription": object{"model": usualTranscriber}, "turn_detection": s.detection()},
			"output": output,
		},
	}
}

func (s Setup) beta() object {
	out := object{
		"instructions": s.instructions(), "tools": s.functions(), "tool_choice": "auto", "modalities": []string{"text", "audio"},
		"input_audio_format": "pcm16", "output_audio_format": "pcm16", "input_audio_transcription": object{"model": usualTranscriber}, "turn_detection": s.detection(),
	}
	if s.Voice != "" {
		out["voice"] = s.Voice
	}
	return out
}

// detection returns the turn detection; nil is push to talk.
func (s Setup) detection() any {
	if s.Manual {
		return nil
	}
	return object{"type": "server_vad", "create_response": true, "interrupt_response": true}
}

func (s Setup) instructions() string { return preface + Bounded(s.Instructions, MaxInstructions) }

func (s Setup) functions() []object {
	out := []object{}
	for _, t := range s.Tools {
		if len(out) == MaxTools {
			break
		}
		if !functionName.MatchString(t.Name) {
			continue
		}
		parameters := t.Parameters
		if len(parameters) == 0 {
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		out = append(out, object{"type": "function", "name": t.Name, "description": t.Description, "parameters": parameters})
	}
	return out
}

// Bounds of the transcript of a session.
const (
	maxTurns      = 20
	maxTranscript = 2000 // characters
)

// Transcript returns the events that add the end of a conversation to a session: at most 20 messages and 2,000 characters, oldest first.
func Transcript(messages []chat.Message, beta bool) (events [][]byte) {
	left := maxTranscript
	for i := len(messages) - 1; i >= 0 && len(events) < maxTurns && left > 0; i-- {
		m := messages[i]
		text := strings.TrimSpace(m.Content)
		if text == "" || m.Role != chat.RoleUser && m.Role != chat.RoleAssistant || m.Origin != "" && m.Origin != chat.OriginPerson {
			continue
		}
		if runes := []rune(text); len(runes) > left {
			text = "… " + string(runes[len(runes)-left:])
		}
		left -= len([]rune(text))
		events = append(events, MessageItem(m.Role, text, beta))
	}
	slices.Reverse(events)
	return events
}

// MessageItem returns the event that adds a message to the conversation of a session.
func MessageItem(role chat.Role, text string, beta bool) []byte {
	kind := "input_text"
	switch {
	case role == chat.RoleAssistant && beta:
		kind = "text"
	case role == chat.RoleAssistant:
		kind = "output_text"
	}
	return encode(object{"type": TypeItemCreate, "item": object{"type": "message", "role": string(role), "content": []object{{"type": kind, "text": text}}}})
}

// CallItem returns the event that adds a function call of an earlier session.
func CallItem(c Call) []byte {
	return encode(object{"type": TypeItemCreate, "item": object{"type": "function_call", "call_id": c.ID, "name": c.Name, "arguments": c.Arguments}})
}

// ResultItem returns the event that adds the result of a function call, cut to MaxResult.
func ResultItem(call, result string) []byte {
	return encode(object{"type": TypeItemCreate, "item": object{"type": "function_call_output", "call_id": call, "output": Bounded(result, MaxResult)}})
}

// CreateResponse returns the event that requests a response for an exchange.
func CreateResponse(exchange string) []byte {
	return encode(object{"type": TypeResponseCreate, "response": object{"metadata": object{"exchange": exchange}}})
}

// Simple returns an event without fields.
func Simple(kind string) []byte { return encode(object{"type": kind}) }

// Truncate returns the event that cuts an answer to the audio that was heard.
func Truncate(e Event) []byte {
	return encode(object{"type": TypeItemTruncate, "item_id": e.ItemID, "content_index": e.ContentIndex, "audio_end_ms": e.AudioEndMS})
}

// Append returns the event that adds audio to the input.
func Append(audio string) []byte { return encode(object{"type": TypeAppend, "audio": audio}) }

// encode encodes maps of strings, numbers and valid JSON, which cannot fail.
func encode(v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err) // the parameters of a tool are not JSON
	}
	return out
}
