package onebot

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"xbot/internal/channel/onebot/wire"
)

// maxCard bounds the text of a card, in bytes.
const maxCard = 2_000

// card describes a card of a mini program or of a shared page. Their JSON has as many forms as there are programs, so card
// looks for the usual members.
func card(data string) string {
	var c struct {
		Prompt string                                `json:"prompt"`
		Desc   string                                `json:"desc"`
		Meta   map[string]map[string]json.RawMessage `json:"meta"`
	}
	if json.Unmarshal([]byte(data), &c) != nil {
		var simple struct {
			Prompt string `json:"prompt"`
		}
		_ = json.Unmarshal([]byte(data), &simple) // otherwise nothing is known of the card
		return "[" + strings.TrimSpace("card "+cut(clean(simple.Prompt), maxCard)) + "]"
	}
	parts := []string{c.Prompt}
	for _, name := range slices.Sorted(maps.Keys(c.Meta)) {
		for _, member := range []string{"title", "desc", "tag", "qqdocurl", "jumpUrl", "url"} {
			parts = append(parts, wire.PlainValue(c.Meta[name][member]))
		}
	}
	parts = append(parts, c.Desc)
	var said []string
	for _, p := range parts {
		p = strings.TrimSpace(clean(p))
		if p != "" && !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, p) }) {
			said = append(said, p)
		}
	}
	return "[" + strings.TrimSpace("card "+cut(strings.Join(said, " · "), maxCard)) + "]"
}

// faceName returns the name of a face of QQ, if NapCat gives one.
func faceName(d wire.Attributes) string {
	var raw struct {
		Text string `json:"faceText"`
	}
	if json.Unmarshal([]byte(d["raw"]), &raw) != nil {
		return ""
	}
	return strings.Trim(cleanName(raw.Text), "/[]")
}
