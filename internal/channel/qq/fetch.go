package qq

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Fetch reads a file that a user sent. Its key is the platform's link, which needs no token and expires.
func (a *Account) Fetch(ctx context.Context, _ string, f chat.Attachment) (io.ReadCloser, error) {
	u, err := url.Parse(f.Key)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fault.Errorf(fault.Invalid, "the file of the message has no address")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	res, err := a.files.Do(req)
	if fault.Is(err, fault.Denied) {
		return nil, fault.Errorf(fault.NotFound, "the file of the message is at an address that is not read: %w", err)
	}
	if err != nil {
		return nil, fault.Errorf(fault.Unavailable, "fetch a file of QQ: %w", err)
	}
	switch status := res.StatusCode; {
	case status == http.StatusOK:
		return res.Body, nil
	case status >= 500 || status == http.StatusTooManyRequests:
		err = fault.Errorf(fault.Unavailable, "fetch a file of QQ (HTTP %d)", status)
	default:
		err = fault.Errorf(fault.NotFound, "QQ has the file no more (HTTP %d); ask for it again", status)
	}
	_ = res.Body.Close() // nothing of it is used
	return nil, err
}
