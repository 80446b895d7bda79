package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/document/webpicture"
)

// messageContent is the content of a message.
type messageContent struct {
	text     string
	pictures []Picture
	uploads  []Upload
}

// contentPart is a part of a content, in either of the two APIs.
type contentPart struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	ImageURL json.RawMessage `json:"image_url"` // chat: {url}; responses: the address
	File     json.RawMessage `json:"file"`      // chat: a fileBody; responses: flat
	Audio    json.RawMessage `json:"input_audio"`
	fileBody
}

// contentOf reads a content: a text, or a list of parts. at is its position in the request.
func contentOf(at string, raw json.RawMessage) (messageContent, error) {
	var out messageContent
	if isNull(raw) {
		return out, nil
	}
	if json.Unmarshal(raw, &out.text) == nil {
		return out, nil
	}
	var parts []contentPart
	if json.Unmarshal(raw, &parts) != nil {
		return out, invalid(at, "%s must be a text or a list of parts", at)
	}
	var texts []string
	for i, p := range parts {
		switch p.Type {
		case "text", "input_text", "output_text":
			texts = append(texts, p.Text)
		case "refusal":
			texts = append(texts, p.Refusal)
		case "reasoning", "reasoning_content", "thinking", "redacted_thinking": // the thoughts of another model
		default:
			if err := out.attach(fmt.Sprintf("%s[%d]", at, i), p); err != nil {
				return out, err
			}
		}
	}
	out.text = strings.Join(texts, "\n")
	return out, nil
}

// attach reads the picture or the file of a part.
func (s *messageContent) attach(at string, p contentPart) error {
	if len(s.pictures)+len(s.uploads) == chat.MaxAttachments {
		return invalid(at, "a message has more than %d pictures and files", chat.MaxAttachments)
	}
	var err error
	var picture Picture
	var upload Upload
	switch p.Type {
	case "image_url", "input_image":
		picture, err = p.picture(at)
		s.pictures = append(s.pictures, picture)
	case "file", "input_file":
		upload, err = p.upload(at)
		s.uploads = append(s.uploads, upload)
	case "input_audio":
		upload, err = p.sound(at + ".input_audio")
		s.uploads = append(s.uploads, upload)
	default:
		err = invalid(at+".type", "parts of the type %.40q are not understood here; send text, image_url, file or input_audio", p.Type)
	}
	return err
}

// pictureTypes are the accepted types of pictures.
var pictureTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// picture reads the picture of a part: its bytes, or its address.
func (p contentPart) picture(at string) (Picture, error) {
	at += ".image_url"
	var url string
	var object struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(p.ImageURL, &url) != nil {
		if json.Unmarshal(p.ImageURL, &object) != nil {
			return Picture{}, invalid(at, "%s must have the picture as a data: URL", at)
		}
		url, at = object.URL, at+".url"
	}
	rest, isData := strings.CutPrefix(url, "data:")
	if !isData {
		if err := webpicture.Check(url); err != nil {
			return Picture{}, notHad(at, err)
		}
		return Picture{webpicture.Picture{Address: url}, webpicture.Name(url), at}, nil
	}
	media, data, found := strings.Cut(rest, ",")
	kind, encoded := strings.CutSuffix(strings.ToLower(media), ";base64")
	if !found || !encoded || !slices.Contains(pictureTypes, kind) {
		return Picture{}, invalid(at, "a picture must be a data: URL in base64 of one of the types %s", strings.Join(pictureTypes, ", "))
	}
	file, err := base64.StdEncoding.DecodeString(strings.TrimSpace(data))
	if err != nil || len(bytes.TrimSpace(file)) == 0 {
		return Picture{}, invalid(at, "the base64 of the picture is broken")
	}
	return Picture{webpicture.Picture{Data: file}, "picture." + strings.TrimPrefix(kind, "image/"), at}, nil
}
