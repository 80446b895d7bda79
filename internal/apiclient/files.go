package apiclient

import (
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// FileEntry is a file or folder on the runner of a session.
type FileEntry struct {
	Name    string    `json:"name"`
	Path    string    `json:"path"` // absolute
	Size    int64     `json:"size"` // bytes
	Dir     bool      `json:"dir"`
	ModTime time.Time `json:"mod_time"`
	Link    string    `json:"link,omitempty"` // target, for a symbolic link
}

// Folder is a listing, folders first.
type Folder struct {
	Path    string      `json:"path"`
	Parent  string      `json:"parent,omitempty"` // empty at the root
	Entries []FileEntry `json:"entries"`
}

// UploadedFile is a file as it was stored: its name may have been made safe, or numbered because it was taken.
type UploadedFile struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Size int64  `json:"size"`
}

// FileLink lets whoever has it download a file without a login.
type FileLink struct {
	URL       string    `json:"url"` // relative to the server's address
	ExpiresAt time.Time `json:"expires_at"`
}

// Files lists a folder; an empty path means the session's own.
func (c *Client) Files(ctx context.Context, key chat.SessionKey, path string) (Folder, error) {
	query := url.Values{}
	if path != "" {
		query.Set("path", path)
	}
	var folder Folder
	return folder, c.do(ctx, http.MethodGet, sessionPath(key, "/files"), query, nil, &folder)
}

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
	response, err := c.sendBody(ctx, http.MethodPost, sessionPath(key, "/files"), nil, body, form.FormDataContentType())
	_ = body.Close() // the server may have answered before it read everything
	<-written
	if err != nil {
		return UploadedFile{}, err
	}
	defer response.Body.Close()
	var stored struct {
		Files []UploadedFile `json:"files"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&stored); err != nil || len(stored.Files) != 1 {
		return UploadedFile{}, fault.Errorf(fault.Unavailable, "read the answer of the server: %d files, %w", len(stored.Files), err)
	}
	return stored.Files[0], nil
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

// Download copies a file to the writer and returns how many bytes it wrote; ctx is its only limit. After an error what
// was written is of no use.
func (c *Client) Download(ctx context.Context, key chat.SessionKey, path string, to io.Writer) (int64, error) {
	return c.copyFrom(ctx, sessionPath(key, "/files/content"), url.Values{"path": {path}}, to)
}

// TaskOutput copies all that a background task has written by now.
func (c *Client) TaskOutput(ctx context.Context, key chat.SessionKey, task string, to io.Writer) (int64, error) {
	return c.copyFrom(ctx, sessionPath(key, "/tasks/"+url.PathEscape(task)+"/output"), nil, to)
}

// CallResult copies the whole result of a tool call, also where the conversation shows a summary of it.
func (c *Client) CallResult(ctx context.Context, key chat.SessionKey, call chat.CallID, to io.Writer) (int64, error) {
	return c.copyFrom(ctx, sessionPath(key, "/calls/"+url.PathEscape(string(call))+"/result"), nil, to)
}

func (c *transport) copyFrom(ctx context.Context, path string, query url.Values, to io.Writer) (int64, error) {
	response, err := c.send(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	n, err := io.Copy(to, response.Body)
	if err != nil {
		return n, fault.Errorf(fault.Unavailable, "the download broke off after %d bytes: %w", n, err)
	}
	return n, nil
}

// Link makes a link to a file that works for the time given, at most 7 days; 0 means a day.
func (c *Client) Link(ctx context.Context, key chat.SessionKey, path string, life time.Duration) (FileLink, error) {
	var link FileLink
	body := map[string]any{"path": path}
	if life > 0 {
		body["ttl_s"] = int64(life.Seconds())
	}
	return link, c.do(ctx, http.MethodPost, sessionPath(key, "/links"), nil, body, &link)
}
