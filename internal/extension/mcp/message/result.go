package message

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPartWords limits a part of an unknown kind that is shown as JSON, in bytes.
const maxPartWords = 64 << 10

// mendResult repairs the result of a request. Its members show which kind it is.
func mendResult(in json.RawMessage) json.RawMessage {
	var r object
	if json.Unmarshal(in, &r) != nil {
		return encoded(object{"content": encoded([]any{text(words(in))})}) // a call that returns a bare value
	}
	if r["content"] != nil || r["structuredContent"] != nil || r["isError"] != nil {
		mendCall(r)
	}
	if r["protocolVersion"] != nil {
		mendGreeting(r)
	}
	if meta := r["_meta"]; meta != nil && meta[0] != '{' {
		delete(r, "_meta")
	}
	mendList(r, "tools", tool)
	mendList(r, "prompts", fit[sdk.Prompt])
	mendList(r, "resources", fit[sdk.Resource])
	mendList(r, "resourceTemplates", fit[sdk.ResourceTemplate])
	if parts, ok := array(r["contents"]); ok {
		r["contents"] = encoded(resources(parts))
	}
	if parts, ok := array(r["messages"]); ok {
		r["messages"] = encoded(messagesOf(parts))
	}
	return encoded(r)
}

// mendCall mends the result of a call.
func mendCall(r object) {
	parts, ok := array(r["content"])
	if !ok {
		parts = nil
		if present(r["content"]) {
			parts = []json.RawMessage{r["content"]} // one part, or a text
		}
	}
	out := make([]any, 0, len(parts))
	for _, part := range parts {
		out = append(out, content(part)...)
	}
	failure(r)
	structured := r["structuredContent"]
	delete(r, "content")
	delete(r, "structuredContent")
	keep(r, fit[sdk.CallToolResult](r))
	if r["content"] = encoded(out); structured != nil {
		r["structuredContent"] = structured
	}
}

// failure mends the member that reports whether a call failed.
func failure(r object) {
	if failed := string(r["isError"]); failed != "true" && failed != "false" {
		delete(r, "isError")
		if failed == `"true"` || failed == "1" {
			r["isError"] = json.RawMessage("true")
		}
	}
}

// mendGreeting repairs the result of initialize.
func mendGreeting(r object) {
	var can object
	if json.Unmarshal(r["capabilities"], &can) != nil {
		can = object{}
	}
	for name, value := range can {
		if string(value) == "true" || string(value) == "[]" {
			can[name] = json.RawMessage("{}")
		} else if value[0] != '{' {
			delete(can, name)
		}
	}
	r["capabilities"] = encoded(fit[sdk.ServerCapabilities](can))
	keep(r, fit[sdk.InitializeResult](r))
}

// keep deletes the members of an object that another one does not have.
func keep(r, fitting object) {
	for key := range r {
		if fitting[key] == nil {
			delete(r, key)
		}
	}
}

// FaultKey is the member of a tool's _meta with the reason why the tool cannot be offered.
const FaultKey = "xbot/fault"

// tool mends a tool of a list.
func tool(in object) object {
	var execution struct {
		TaskSupport string `json:"taskSupport"`
	}
	out := fit[sdk.Tool](in)
	delete(out, "_meta")
	if json.Unmarshal(in["execution"], &execution) == nil && execution.TaskSupport == "required" {
		out["_meta"] = encoded(map[string]string{FaultKey: "it can be called as a task only, which is not supported"})
	}
	return out
}

// fit leaves out the members of an object that T cannot hold.
func fit[T any](in object) object {
	var whole T
	if json.Unmarshal(encoded(in), &whole) == nil {
		return in
	}
	out := object{}
	for key, value := range in {
		var one T
		if json.Unmarshal(encoded(object{key: value}), &one) == nil {
			out[key] = value
		}
	}
	return out
}

// mendList mends the elements of a list. Those that are no objects are left out.
func mendList(r object, key string, mend func(object) object) {
	if r[key] == nil {
		return
	}
	items, _ := array(r[key])
	out := make([]object, 0, len(items))
	for _, item := range items {
		var o object
		if json.Unmarshal(item, &o) == nil && o != nil {
			out = append(out, mend(o))
		}
	}
	r[key] = encoded(out)
	var cursor string
	if json.Unmarshal(r["nextCursor"], &cursor) != nil {
		delete(r, "nextCursor")
	}
}

func array(in json.RawMessage) (out []json.RawMessage, ok bool) {
	return out, present(in) && json.Unmarshal(in, &out) == nil
}

func text(said string) any { return map[string]string{"type": "text", "text": said} }

// note returns a text part that replaces a part that could not be decoded.
func note(format string, args ...any) any { return text("[" + fmt.Sprintf(format, args...) + "]") }

// part reads the fields of a part of a content.
type part struct{ object }

func (p part) text(key string) string {
	var out string
	_ = json.Unmarshal(p.object[key], &out) // another type is none
	return out
}

func (p part) inner(key string) part {
	var out object
	_ = json.Unmarshal(p.object[key], &out) // another type is none
	return part{out}
}

// first returns the first of several texts that is not empty.
func (p part) first(keys ...string) string {
	for _, key := range keys {
		if value := p.text(key); value != "" {
			return value
		}
	}
	return ""
}

// content repairs one part of a result. It returns a note if the part cannot be decoded.
func content(in json.RawMessage) []any {
	var p part
	if json.Unmarshal(in, &p.object) != nil || p.object == nil {
		if !present(in) {
			return nil
		}
		return []any{text(words(in))}
	}
	switch kind := p.text("type"); kind {
	case "text":
		return []any{text(words(p.object["text"]))}
	case "image", "audio":
		return []any{media(p, kind)}
	case "resource":
		return resourcePart(p)
	case "resource_link":
		return []any{link(p)}
	default:
		return []any{unknown(p, kind)}
	}
}

// media mends a picture or a sound.
func media(p part, kind string) any {
	mediaType, from := p.first("mimeType", "mime_type", "media_type"), p.text("data")
	if source := p.inner("source"); from == "" && source.object != nil { // as Anthropic writes it
		mediaType, from = source.first("media_type", "mimeType"), source.text("data")
	}
	data, of, ok := decodeBase64(from)
	if mediaType == "" {
		mediaType = of
	}
	if !ok || len(data) == 0 {
		return note("%s: %s · left out: its data cannot be decoded", kind, oneWord(mediaType))
	}
	return map[string]any{"type": kind, "data": data, "mimeType": mediaType}
}

// resourcePart mends an embedded resource.
func resourcePart(p part) []any {
	r := p.inner("resource")
	if r.object == nil {
		r = p // its members may be on the same level as the type
	}
	resource, said := resource(r)
	if resource == nil {
		return []any{said}
	}
	out := []any{map[string]any{"type": "resource", "resource": resource}}
	if said != nil {
		out = append(out, said)
	}
	return out
}

// resource repairs the content of a resource. note names the part that was left out.
func resource(r part) (out map[string]any, left any) {
	uri := r.text("uri")
	if uri == "" && r.object["text"] == nil && r.object["blob"] == nil {
		return nil, note("resource without an address and without a content: left out")
	}
	out = map[string]any{"uri": uri}
	if mediaType := r.first("mimeType", "mime_type"); mediaType != "" {
		out["mimeType"] = mediaType
	}
	if present(r.object["text"]) {
		out["text"] = words(r.object["text"])
	}
	if blob := r.text("blob"); blob != "" {
		data, of, ok := decodeBase64(blob)
		if !ok {
			left = note("resource: %s · left out: its data cannot be decoded", oneWord(uri))
		} else if out["blob"] = data; out["mimeType"] == nil && of != "" {
			out["mimeType"] = of
		}
	}
	return out, left
}

func resources(parts []json.RawMessage) []any {
	out := make([]any, 0, len(parts))
	for _, raw := range parts {
		var p part
		if json.Unmarshal(raw, &p.object) != nil || p.object == nil {
			continue
		}
		r, left := resource(p)
		if r == nil {
			r = map[string]any{"uri": ""}
		}
		if said, ok := left.(map[string]string); ok {
			r["text"] = strings.TrimSpace(fmt.Sprint(orEmpty(r["text"]), "\n", said["text"]))
		}
		out = append(out, r)
	}
	return out
}

func orEmpty(value any) any {
	if value == nil {
		return ""
	}
	return value
}

func link(p part) any {
	out := map[string]any{"type": "resource_link", "uri": p.text("uri"), "name": p.first("name", "title")}
	for _, key := range []string{"title", "description", "mimeType"} {
		if value := p.text(key); value != "" {
			out[key] = value
		}
	}
	var size int64
	if present(p.object["size"]) && json.Unmarshal(p.object["size"], &size) == nil {
		out["size"] = size
	}
	return out
}

// unknown returns the text of a part of a kind that the protocol does not have.
func unknown(p part, kind string) any {
	if said := p.first("text", "markdown", "message", "content"); said != "" {
		return text(said)
	}
	for _, key := range []string{"data", "blob", "image_url", "_meta"} {
		delete(p.object, key)
	}
	delete(p.object, "type")
	name := oneWord(kind)
	if kind == "" {
		name = "without a type"
	}
	raw := encoded(p.object)
	if len(p.object) == 0 || len(raw) > maxPartWords {
		return note("a part of the kind %s: left out", name)
	}
	return text(fmt.Sprintf("[a part of the kind %s]\n%s", name, raw))
}

// messagesOf mends the messages of a prompt, each of which has one part.
func messagesOf(all []json.RawMessage) []any {
	out := make([]any, 0, len(all))
	for _, raw := range all {
		var m part
		if json.Unmarshal(raw, &m.object) != nil || m.object == nil {
			continue
		}
		parts, ok := array(m.object["content"])
		if !ok {
			parts = []json.RawMessage{m.object["content"]}
		}
		for _, p := range parts {
			for _, c := range content(p) {
				out = append(out, map[string]any{"role": m.text("role"), "content": c})
			}
		}
	}
	return out
}

// oneWord returns a short name of something on one line.
func oneWord(said string) string {
	said = strings.Join(strings.Fields(said), " ")
	if said == "" {
		return "unknown"
	}
	if r := []rune(said); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return said
}

// decodeBase64 decodes base64 as servers write it: with the beginning of a data address, in the alphabet for addresses, without padding, with line
// breaks. mediaType is that of a data address.
func decodeBase64(in string) (data []byte, mediaType string, ok bool) {
	in = strings.TrimSpace(in)
	if len(in) >= 5 && strings.EqualFold(in[:5], "data:") {
		head, rest, found := strings.Cut(in[5:], ",")
		if !found {
			return nil, "", false
		}
		in = rest
		fields := strings.Split(head, ";")
		mediaType = strings.TrimSpace(fields[0])
		if !slices.ContainsFunc(fields, func(f string) bool { return strings.EqualFold(strings.TrimSpace(f), "base64") }) {
			return nil, mediaType, false
		}
	}
	in = strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\r', '\n', '=':
			return -1
		case '-':
			return '+'
		case '_':
			return '/'
		}
		return r
	}, in)
	data, err := base64.RawStdEncoding.DecodeString(in)
	return data, mediaType, err == nil
}
