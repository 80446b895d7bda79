package apiclient

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Policy is a version of the policy document.
type Policy struct {
	Version int64    `json:"version"`
	Text    string   `json:"text"`
	Notes   []string `json:"notes"`
}

// PolicyCheck is what is wrong with a document, and what is worth a second thought.
type PolicyCheck struct {
	Errors []string `json:"errors"`
	Notes  []string `json:"notes"`
}

// PolicyVersion is a change of the document.
type PolicyVersion struct {
	Version int64     `json:"version"`
	At      time.Time `json:"at"`
	By      string    `json:"by"`
}

// Policy returns a version of the policy document, for administrators; 0 is the one in force.
func (c *Administration) Policy(ctx context.Context, version int64) (Policy, error) {
	query := url.Values{}
	if version > 0 {
		query.Set("version", strconv.FormatInt(version, 10))
	}
	var out Policy
	return out, c.do(ctx, http.MethodGet, "/api/policy", query, nil, &out)
}

// SetPolicy puts a document in force that was made from a version; Conflict if that is not the newest any more.
func (c *Administration) SetPolicy(ctx context.Context, text string, from int64) (Policy, error) {
	var out Policy
	in := struct {
		Text    string `json:"text"`
		Version int64  `json:"version"`
	}{text, from}
	return out, c.do(ctx, http.MethodPut, "/api/policy", nil, in, &out)
}

// CheckPolicy says what is wrong with a document without putting it in force.
func (c *Administration) CheckPolicy(ctx context.Context, text string) (PolicyCheck, error) {
	var out PolicyCheck
	in := struct {
		Text string `json:"text"`
	}{text}
	return out, c.do(ctx, http.MethodPost, "/api/policy/check", nil, in, &out)
}

// PolicyVersions lists the changes of the document, the newest first.
func (c *Administration) PolicyVersions(ctx context.Context) ([]PolicyVersion, error) {
	var list struct {
		Versions []PolicyVersion `json:"versions"`
	}
	return list.Versions, c.do(ctx, http.MethodGet, "/api/policy/versions", nil, nil, &list)
}
