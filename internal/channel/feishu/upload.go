package feishu

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	larkim "github.com/larksuite/oapi-sdk-go/v3/service/im/v1"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// shownImages are the types that the platform shows as images.
var shownImages = []string{"image/jpeg", "image/png", "image/webp", "image/gif", "image/bmp", "image/x-icon", "image/vnd.microsoft.icon", "image/tiff", "image/heic"}

// documents are the kinds of files that the platform previews, by their ending.
var documents = map[string]string{
	".pdf": "pdf", ".doc": "doc", ".docx": "doc", ".xls": "xls", ".xlsx": "xls", ".ppt": "ppt", ".pptx": "ppt", ".mp4": "mp4", ".opus": "opus",
}

// uploaded uploads a file to the platform and returns the message that shows it.
func (a *Account) uploaded(ctx context.Context, f channel.File) (rendered, error) {
	switch {
	case len(f.Data) == 0:
		return rendered{}, fault.Errorf(fault.Invalid, "the file %q is empty, which Feishu does not take", f.Name)
	case len(f.Data) > maxFile:
		return rendered{}, fault.Errorf(fault.TooLarge, "the file %q has %d bytes; Feishu takes at most %d", f.Name, len(f.Data), maxFile)
	case slices.Contains(shownImages, kindOf(f)) && len(f.Data) <= maxImage:
		key, err := a.uploadImage(ctx, f)
		if !refusedAs(err, badContent, unclear, noFile, tooLong) { // a file that only claims to be an image is sent as a file
			return rendered{kind: "image", content: encode(object{"image_key": key})}, err
		}
	}
	kind := documents[strings.ToLower(path.Ext(f.Name))]
	if kind == "" {
		kind = "stream"
	}
	key, err := a.uploadFile(ctx, kind, f)
	if err != nil {
		return rendered{}, err
	}
	show := map[string]string{"opus": "audio", "mp4": "media"}[kind]
	if show == "" {
		show = "file"
	}
	return rendered{kind: show, content: encode(object{"file_key": key})}, nil
}

// kindOf returns the type of a file without its parameters; a missing type is detected from the content.
func kindOf(f channel.File) string {
	kind := f.Type
	if kind == "" || kind == "application/octet-stream" {
		kind = http.DetectContentType(f.Data)
	}
	kind, _, _ = strings.Cut(kind, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// fileName returns a name that the platform takes.
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

// formFile is a file of a form.
type formFile struct {
	io.Reader

	name string
}

// Name returns the name of the file in the form.
func (n formFile) Name() string { return n.name }

// uploadImage uploads an image to the platform. An upload shows nothing, so its outcome is never uncertain: it is repeated.
func (a *Account) uploadImage(ctx context.Context, f channel.File) (string, error) {
	in := &larkim.CreateImageReqBody{ImageType: new("message"), Image: formFile{bytes.NewReader(f.Data), fileName(f)}}
	out, err := callWithin(ctx, a, uploadTimeout, a.im.Image.Create, larkim.NewCreateImageReqBuilder().Body(in).Build())
	if err != nil {
		return "", channel.Certain(err)
	}
	return data(data(out.Data).ImageKey), nil
}

// uploadFile is uploadImage for files.
func (a *Account) uploadFile(ctx context.Context, kind string, f channel.File) (string, error) {
	name := fileName(f)
	in := &larkim.CreateFileReqBody{FileType: &kind, FileName: &name, File: formFile{bytes.NewReader(f.Data), name}}
	out, err := callWithin(ctx, a, uploadTimeout, a.im.File.Create, larkim.NewCreateFileReqBuilder().Body(in).Build())
	if err != nil {
		return "", channel.Certain(err)
	}
	return data(data(out.Data).FileKey), nil
}

// pictures uploads the pictures of a card to the platform, and returns their keys by their paths. Refused ones are left out.
func (a *Account) pictures(ctx context.Context, q channel.Question) (map[string]string, error) {
	keys := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(q.Images)) {
		f := q.Images[name]
		if !slices.Contains(shownImages, kindOf(f)) || len(f.Data) == 0 || len(f.Data) > maxImage {
			continue
		}
		key, err := a.uploadImage(ctx, f)
		switch {
		case refusedAs(err, badContent, unclear, noFile, tooLong):
		case err != nil:
			return nil, err
		default:
			keys[name] = key
		}
	}
	return keys, nil
}

// anyKeys are keys for all pictures of a card that is only compared, not shown.
func anyKeys(q channel.Question) map[string]string {
	keys := map[string]string{}
	for name := range q.Images {
		keys[name] = "img"
	}
	return keys
}
