package openai

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"xbot/internal/document/filename"
)

// fileBody is the file of a part.
type fileBody struct {
	Name string `json:"filename"`
	Data string `json:"file_data"` // base64, plain or in a data: URL
	ID   string `json:"file_id"`
	URL  string `json:"file_url"`
}

// upload reads the file of a part.
func (p contentPart) upload(at string) (Upload, error) {
	body := p.fileBody
	if p.Type == "file" {
		at += ".file"
		body = fileBody{}
		if json.Unmarshal(p.File, &body) != nil {
			return Upload{}, invalid(at, "%s must be an object with filename and file_data", at)
		}
	}
	switch {
	case body.Data != "":
	case body.ID != "":
		return Upload{}, unsupported(at+".file_id", "file_id is not supported: there is no store of files here; send the file in file_data")
	case body.URL != "":
		return Upload{}, unsupported(at+".file_url", "file_url is not supported: the server fetches no files; send the file in file_data")
	}
	data, err := decodeFile(at+".file_data", body.Data)
	if err != nil {
		return Upload{}, err
	}
	name := body.Name
	if strings.TrimSpace(name) == "" {
		name = "file" + filename.Guess(data[:min(len(data), sniffed)])
	}
	return Upload{Kind: "file", Name: filename.Safe(name), Data: data}, nil
}

// sniffed is how much of a file its type is guessed from, in bytes.
const sniffed = 512

// audioFormats are the formats of sound that are accepted. OpenAI has the first two.
var audioFormats = []string{"wav", "mp3", "flac", "ogg", "opus", "m4a", "aac", "webm"}

// sound reads the sound of a part.
func (p contentPart) sound(at string) (Upload, error) {
	var body struct {
		Data   string `json:"data"`
		Format string `json:"format"`
	}
	if json.Unmarshal(p.Audio, &body) != nil {
		return Upload{}, invalid(at, "%s must be an object with data and format", at)
	}
	if !slices.Contains(audioFormats, body.Format) {
		return Upload{}, invalid(at+".format", "the format of sound must be one of %s", strings.Join(audioFormats, ", "))
	}
	data, err := decodeFile(at+".data", body.Data)
	return Upload{Kind: "audio", Name: "audio." + body.Format, Data: data}, err
}

// decodeFile decodes a file in base64, plain or in a data: URL. MaxBody bounds what it decodes.
func decodeFile(at, text string) ([]byte, error) {
	if rest, is := strings.CutPrefix(text, "data:"); is {
		media, encoded, found := strings.Cut(rest, ",")
		if !found || !strings.HasSuffix(strings.ToLower(media), ";base64") {
			return nil, invalid(at, "a data: URL of a file must be in base64: data:application/pdf;base64,…")
		}
		text = encoded
	}
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.TrimSpace(text), "="))
	switch {
	case err != nil:
		return nil, invalid(at, "the base64 of the file is broken")
	case len(data) == 0:
		return nil, invalid(at, "the file is empty; send it in base64, or as a data: URL")
	}
	return data, nil
}
