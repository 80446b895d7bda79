package consumer

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/chat"
	"xbot/internal/document/webpicture"
	"xbot/internal/fault"
)

// Content is a message of a consumer: a text, or parts that are texts and pictures.
type Content struct {
	Text     string
	Pictures []webpicture.Picture // in their order
	bad      error
}

// part is one of the parts.
type part struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Image struct {
		URL string `json:"url"`
	} `json:"image_url"`
}

// UnmarshalJSON reads either form. check reports what it does not understand, in a sentence.
func (c *Content) UnmarshalJSON(data []byte) error {
	*c = Content{}
	if data = bytes.TrimSpace(data); len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &c.Text)
	}
	var parts []part
	if err := json.Unmarshal(data, &parts); err != nil {
		c.bad = fault.Errorf(fault.Invalid, "message is a text, or a list of parts of type text and image_url")
		return nil //nolint:nilerr // check says so
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text":
			texts = append(texts, p.Text)
		case "image_url":
			picture, err := pictureOf(p.Image.URL)
			if err != nil {
				c.bad = err
				return nil //nolint:nilerr // check says so
			}
			c.Pictures = append(c.Pictures, picture)
		default:
			c.bad = fault.Errorf(fault.Invalid, "a part of the message has type %.40q; there are text and image_url", p.Type)
		}
	}
	c.Text = strings.Join(texts, "\n\n")
	return nil
}

// Schema describes both forms.
func (Content) Schema(huma.Registry) *huma.Schema {
	text := &huma.Schema{Type: huma.TypeString}
	return &huma.Schema{Description: "A string, or an array of text and image parts.", OneOf: []*huma.Schema{text, {Type: huma.TypeArray, Items: &huma.Schema{
		Type: huma.TypeObject, Properties: map[string]*huma.Schema{
			"type": {Type: huma.TypeString, Enum: []any{"text", "image_url"}}, "text": text,
			"image_url": {Type: huma.TypeObject, Properties: map[string]*huma.Schema{
				"url": {Type: huma.TypeString, Description: "data:image/…;base64,…, or a public URL, from which the picture is fetched once"}, "detail": {Type: huma.TypeString},
			}},
		}, Required: []string{"type"},
	}}}}
}

// check refuses what cannot be sent.
func (c Content) check(files int) error {
	switch {
	case c.bad != nil:
		return c.bad
	case strings.TrimSpace(c.Text) == "" && len(c.Pictures)+files == 0:
		return fault.Errorf(fault.Invalid, "the message is empty")
	case len(c.Pictures)+files > chat.MaxAttachments:
		return fault.Errorf(fault.Invalid, "a message takes at most %d pictures and files", chat.MaxAttachments)
	}
	return nil
}

// pictureOf reads a picture from a data URL, or the address where it is.
func pictureOf(address string) (webpicture.Picture, error) {
	if !strings.HasPrefix(address, "data:") {
		return webpicture.Picture{Address: address}, webpicture.Check(address)
	}
	data, err := dataURL(address)
	return webpicture.Picture{Data: data}, err
}

// dataURL reads a picture from a data URL.
func dataURL(address string) ([]byte, error) {
	rest, ok := strings.CutPrefix(address, "data:image/")
	kind, body, both := strings.Cut(rest, ",")
	if !ok || !both || !strings.HasSuffix(kind, ";base64") {
		return nil, fault.Errorf(fault.Invalid, "a picture within a message is data:image/…;base64,…")
	}
	picture, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		picture, err = base64.RawStdEncoding.DecodeString(body)
	}
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "a picture of the message is no base64")
	}
	return picture, nil
}
