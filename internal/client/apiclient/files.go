package apiclient

import (
	"context"
	"io"
	"mime/multipart"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Upload stores what the reader holds, at most 100 MB, in a folder below the session's own; an empty dir means uploads.
// Nothing is overwritten. It takes as long as the connection needs: ctx is its only limit. An Upload whose outcome is
// unknown may have stored the file; repeated, it stores another one under another name.
func (c *Client) Upload(ctx context.Context, key chat.SessionKey, dir, name string, from io.Reader) (UploadedFile, error) {
	body, into := io.Pipe()
	form := multipart.NewWriter(into)
	written := make(chan struct{})
	go func() {
		defer close(written)
		into.CloseWithError(writeForm(form, dir, name, from))
	}()
	stored, err := c.UploadFiles(ctx, key, form.FormDataContentType(), body)
	_ = body.Close() // the server may have answered before it read everything
	<-written
	if err != nil {
		return UploadedFile{}, err
	}
	if len(stored) != 1 {
		return UploadedFile{}, fault.Errorf(fault.Unavailable, "the server says that it stored %d files, not one", len(stored))
	}
	return stored[0], nil
}

func writeForm(form *multipart.Writer, dir, name string, from io.Reader) error {
	if dir != "" {
		if err := form.WriteField("dir", dir); err != nil {
			return err
		}
	}
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, from); err != nil {
		return err
	}
	return form.Close()
}
