package webpage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
)

// body is the content that a server sent.
type body struct {
	from *url.URL // after redirects
	said string   // its Content-Type
	kind string   // the media type that it has
	data []byte   // at most maxBody bytes
}

// fetch gets a page. The transport unpacks gzip, so that the limit counts what came out of it; other packings are not asked for.
func (r *Reader) fetch(ctx context.Context, from *url.URL) (body, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), nil)
	if err != nil {
		return body{}, fault.Errorf(fault.Invalid, "url cannot be fetched: write it as in the address bar of a browser")
	}
	request.Header.Set("User-Agent", r.agent)
	request.Header.Set("Accept", "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/json;q=0.9,application/pdf;q=0.8,*/*;q=0.5")
	response, err := r.client.Do(request)
	if err != nil {
		return body{}, r.unreachable(from, err)
	}
	defer func() { _ = response.Body.Close() }() // it was read, or is given up
	at := response.Request.URL
	if code := response.StatusCode; code/100 != 2 {
		return body{}, refused(at, code)
	}
	if packed := response.Header.Get("Content-Encoding"); packed != "" && packed != "identity" {
		return body{}, fault.Errorf(fault.Invalid, "%s is sent in a packing that was not asked for; DownloadFile gets it as it is", Short(at))
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case err != nil:
		return body{}, fault.Errorf(fault.Unavailable, "the connection to %s broke after %d bytes", Short(at), len(data))
	case len(data) > maxBody:
		return body{}, fault.Errorf(fault.TooLarge, "%s has more than %d MB, which is the limit; DownloadFile gets it whole", Short(at), maxBody>>20)
	}
	said := response.Header.Get("Content-Type")
	return body{from: at, said: said, kind: kindOf(said, data), data: data}, nil
}

// refused describes a server's answer in our words, since its text is untrusted.
func refused(at *url.URL, code int) error {
	kind := fault.Unavailable
	switch code {
	case http.StatusNotFound, http.StatusGone:
		kind = fault.NotFound
	case http.StatusUnauthorized, http.StatusForbidden:
		kind = fault.Denied
	}
	return fault.Errorf(kind, "%s answered %s", Short(at), fmt.Sprint(code, " ", http.StatusText(code)))
}

func (r *Reader) unreachable(from *url.URL, err error) error {
	if r.publicOnly && safehttp.Hidden(err) {
		return fault.Errorf(fault.Denied, "%s could not be fetched: %s", Short(from), safehttp.Nowhere)
	}
	kind := fault.Unavailable
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		kind = fault.KindOf(refused)
	}
	return fault.Errorf(kind, "%s could not be fetched: %s", Short(from), safehttp.Reason(err))
}

// Short shows an address without what may be secret in it: user, password, query and fragment. At most 200 characters.
func Short(u *url.URL) string {
	return cutAt((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String(), 200)
}

// shown returns an address without user and password, at most 1000 bytes of it, escaped.
func shown(u *url.URL) string {
	bare := *u
	bare.User, bare.Fragment, bare.RawFragment = nil, "", ""
	return cutAt(bare.String(), 1000)
}
