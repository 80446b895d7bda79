package download

import (
	"context"
	"net/http"
	"time"

	"xbot/internal/storage"
)

// linkTime is how long a presigned address is valid. A browser requests the parts of a video from one address.
const linkTime = time.Hour

// linker returns addresses that open files without the server. An empty address means that the server sends the file.
type linker interface {
	URL(ctx context.Context, path string, l storage.Link) (string, error)
}

// Redirect sends the client to the object storage that has the file. It does nothing and returns false if the server has to send the content:
// because no such storage has it, or because the content needs a policy in its response headers.
func (a Attachment) Redirect(w http.ResponseWriter, r *http.Request) (bool, error) {
	file, ok := a.from.(fileSource)
	if !ok || r.Method != http.MethodGet || a.Inline && (a.Type == "image/svg+xml" || a.Type == "application/pdf") {
		return false, nil
	}
	box, ok := file.box.(linker)
	if !ok {
		return false, nil
	}
	how := "attachment"
	if a.Inline {
		how = "inline"
	}
	address, err := box.URL(r.Context(), file.path, storage.Link{For: linkTime, Type: a.Type, Disposition: disposition(how, a.Name)})
	if address == "" || err != nil {
		return false, err
	}
	h := w.Header()
	h.Set("Location", address)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	if a.Anywhere {
		ShowAnywhere(w)
	}
	w.WriteHeader(http.StatusFound)
	return true, nil
}
