package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

var inlineScript = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

// withScriptPolicy gives the UI's pages back the content security policy that they lose under a path prefix, where
// their inline script no longer has the hash they were built with. It matters here: the pages share an origin with
// xbot's own, and show texts of any sender.
func withScriptPolicy(pages http.Handler, prefix string) (http.Handler, error) {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, prefix+"/", nil)
	if err != nil {
		return nil, fmt.Errorf("ask for the UI's first page: %w", err)
	}
	request.RequestURI = request.URL.Path
	page := &capture{header: http.Header{}}
	pages.ServeHTTP(page, request)

	sources := []string{"'strict-dynamic'"}
	for _, script := range inlineScript.FindAllSubmatch(page.body.Bytes(), -1) {
		hash := sha256.Sum256(script[1])
		sources = append(sources, "'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'")
	}
	if len(sources) == 1 {
		return nil, fmt.Errorf("the UI's first page has no inline script; its build changed, so the policy for it has to as well")
	}
	policy := "script-src " + strings.Join(sources, " ") + "; object-src 'none'; base-uri 'self'; frame-ancestors 'self'"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		pages.ServeHTTP(w, r)
	}), nil
}

// capture keeps a response's body.
type capture struct {
	header http.Header
	body   bytes.Buffer
}

func (c *capture) Header() http.Header             { return c.header }
func (c *capture) Write(chunk []byte) (int, error) { return c.body.Write(chunk) }
func (c *capture) WriteHeader(int)                 {}
