package llmtest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Picture is one that a request shows the model.
type Picture struct {
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// piece is a part of a content, in any dialect.
type piece struct {
	Type     string   `json:"type"`
	Text     string   `json:"text"`
	ImageURL imageURL `json:"image_url"`
	Source   struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	} `json:"source"`
}

// imageURL is data:image/png;base64,… in an object, or as a plain string in the Responses API.
type imageURL struct{ URL string }

// UnmarshalJSON accepts both.
func (u *imageURL) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &u.URL) == nil {
		return nil
	}
	type plain imageURL
	return json.Unmarshal(data, (*plain)(u))
}

// picture returns the picture in the piece, if it has one.
func (p piece) picture() (Picture, bool, error) {
	switch p.Type {
	case "image_url", "input_image":
		media, data, found := strings.Cut(strings.TrimPrefix(p.ImageURL.URL, "data:"), ";base64,")
		if !found {
			return Picture{}, false, fmt.Errorf("%.40q is no data URL of a picture", p.ImageURL.URL)
		}
		out := Picture{MediaType: media}
		err := json.Unmarshal([]byte(`"`+data+`"`), &out.Data)
		return out, true, err
	case "image":
		if p.Source.Type != "base64" {
			return Picture{}, false, fmt.Errorf("a picture with the source %q", p.Source.Type)
		}
		return Picture{MediaType: p.Source.MediaType, Data: p.Source.Data}, true, nil
	}
	return Picture{}, false, nil
}

// flatten returns the text and the pictures of a content that is a string, null or a list of pieces.
func flatten(content json.RawMessage) (string, []Picture, error) {
	if len(content) == 0 || string(content) == "null" {
		return "", nil, nil
	}
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text, nil, nil
	}
	var pieces []piece
	if err := json.Unmarshal(content, &pieces); err != nil {
		return "", nil, fmt.Errorf("parse a message's content: %w", err)
	}
	var all strings.Builder
	var pictures []Picture
	for _, p := range pieces {
		all.WriteString(p.Text)
		shown, found, err := p.picture()
		if err != nil {
			return "", nil, err
		}
		if found {
			pictures = append(pictures, shown)
		}
	}
	return all.String(), pictures, nil
}
