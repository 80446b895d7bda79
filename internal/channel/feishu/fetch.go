package feishu

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Fetch returns the content of a file that came with a message; the caller closes it. It does not use the library's call,
// which reads a whole file into memory first.
func (a *Account) Fetch(ctx context.Context, message string, file chat.Attachment) (io.ReadCloser, error) {
	kind := "file"
	if file.Kind == "image" {
		kind = "image"
	}
	from := a.set.domain + "/open-apis/im/v1/messages/" + url.PathEscape(message) + "/resources/" + url.PathEscape(file.Key) + "?type=" + kind
	for attempt := 0; ; attempt++ {
		token, err := a.tokens.Get(ctx)
		if err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
		if err != nil {
			return nil, fault.Errorf(fault.Invalid, "fetch a file from Feishu: %w", err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := channel.Do(a.http, req, "call Feishu")
		if err != nil {
			return nil, channel.Certain(err)
		}
		if res.StatusCode == http.StatusOK {
			return res.Body, nil
		}
		err = fetchFailure(res)
		if refusedAs(err, badToken) && attempt == 0 {
			a.tokens.Drop(token)
			continue
		}
		return nil, err
	}
}

func fetchFailure(res *http.Response) error {
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return fault.Errorf(fault.Unavailable, "read the answer of Feishu: %w", err)
	}
	err = channel.Certain(readAnswer(res, raw))
	if refusedAs(err, gone) || res.StatusCode == http.StatusNotFound {
		return fault.Errorf(fault.NotFound, "Feishu does not have this file any more: %w", err)
	}
	return err
}
