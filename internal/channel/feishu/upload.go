package feishu

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// shownImages are the types that the platform shows as images.
var shownImages = []string{"image/jpeg", "image/png", "image/webp", "image/gif", "image/bmp", "image/x-icon", "image/vnd.microsoft.icon", "image/tiff", "image/heic"}

// documents are the kinds of files that the platform previews, by their ending.
var documents = map[string]string{
	".pdf": "pdf", ".doc": "doc", ".docx": "doc", ".xls": "xls", ".xlsx": "xls", ".ppt": "ppt", ".pptx": "ppt", ".mp4": "mp4", ".opus": "opus",
}

// uploaded gives a file to the platform and returns the message that shows it.
func (a *Account) uploaded(ctx context.Context, f channel.File) (rendered, error) {
	switch {
	case len(f.Data) == 0:
		return rendered{}, fault.Errorf(fault.Invalid, "the file %q is empty, which Feishu does not take", f.Name)
	case len(f.Data) > maxFile:
		return rendered{}, fault.Errorf(fault.TooLarge, "the file %q has %d bytes; Feishu takes at most %d", f.Name, len(f.Data), maxFile)
	case slices.Contains(shownImages, kindOf(f)) && len(f.Data) <= maxImage:
		var out struct {
			Key string `json:"image_key"`
		}
		err := a.upload(ctx, "/open-apis/im/v1/images", map[string]string{"image_type": "message"}, "image", f, &out)
		if !refusedAs(err, badContent, unclear, noFile, tooLong) { // what only calls itself an image goes as a file
			return rendered{kind: "image", content: encode(object{"image_key": out.Key})}, err
		}
	}
	kind := documents[strings.ToLower(path.Ext(f.Name))]
	if kind == "" {
		kind = "stream"
	}
	var out struct {
		Key string `json:"file_key"`
	}
	fields := map[string]string{"file_type": kind, "file_name": fileName(f)}
	if err := a.upload(ctx, "/open-apis/im/v1/files", fields, "file", f, &out); err != nil {
		return rendered{}, err
	}
	show := map[string]string{"opus": "audio", "mp4": "media"}[kind]
	if show == "" {
		show = "file"
	}
	return rendered{kind: show, content: encode(object{"file_key": out.Key})}, nil
}

// kindOf is the type of a file without its parameters; by its content where nobody says.
func kindOf(f channel.File) string {
	kind := f.Type
	if kind == "" || kind == "application/octet-stream" {
		kind = http.DetectContentType(f.Data)
	}
	kind, _, _ = strings.Cut(kind, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// fileName is a name that the platform takes.
func fileName(f channel.File) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, f.Name)
	if strings.Trim(name, ". _") == "" {
		return "file"
	}
	return name
}

// upload sends a form with a file. Nothing is shown by it, so that its end is never uncertain: it is made again.
func (a *Account) upload(ctx context.Context, to string, fields map[string]string, name string, f channel.File, out any) error {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for k, v := range fields {
		if err := form.WriteField(k, v); err != nil {
			return err
		}
	}
	file, err := form.CreateFormFile(name, fileName(f))
	if err != nil {
		return err
	}
	if _, err := file.Write(f.Data); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return fmt.Errorf("make the form of an upload: %w", err)
	}
	r := request{method: http.MethodPost, path: to, body: b.Bytes(), kind: form.FormDataContentType(), timeout: uploadTimeout}
	return channel.Certain(a.data(ctx, r, out))
}
