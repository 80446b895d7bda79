package agenttest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// part is a piece of a client's message, in any of the protocols: a text or a picture.
type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
	// URL is of codex ("image") and opencode ("file").
	URL string `json:"url"`
	// ImageURL is of kimi ("image_url").
	ImageURL struct {
		URL string `json:"url"`
	} `json:"image_url"`
	// Source is of claude ("image").
	Source struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
	Mime string `json:"mime"` // of opencode
}

// partsOf reads a text, or a list of parts.
func partsOf(raw json.RawMessage) (list []part) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []part{{Type: "text", Text: text}}
	}
	_ = json.Unmarshal(raw, &list) // of another form: nothing
	return list
}

// said returns the text of parts, and a description of their pictures: "image/png of 67 bytes".
func said(parts []part) (text string, pictures []string) {
	for _, p := range parts {
		switch {
		case p.Type == "text" && text == "":
			text = p.Text
		case p.Type == "image" && p.Source.Type == "base64":
			pictures = append(pictures, picture(p.Source.MediaType, p.Source.Data))
		case p.Type == "image" || p.Type == "file":
			pictures = append(pictures, pictureAt(p.URL, p.Mime))
		case p.Type == "image_url":
			pictures = append(pictures, pictureAt(p.ImageURL.URL, ""))
		}
	}
	return text, pictures
}

// pictureAt returns the picture of a data: URL, whose type must be mime unless that is empty.
func pictureAt(url, mime string) string {
	kind, data, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	if !ok || mime != "" && mime != kind {
		return "no picture: " + mime
	}
	return picture(kind, data)
}

func picture(kind, data string) string {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return "no picture: " + err.Error()
	}
	return fmt.Sprintf("%s of %d bytes", kind, len(raw))
}

// blind reports whether the model of the agent sees no pictures.
func blind() bool {
	_, err := os.Stat(filepath.Join(home(), "blind"))
	return err == nil
}
