package websearch

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"xbot/internal/extension/toolkey"
)

// cloudsWay is CloudsWay's Smart Search: GET {address}?q&count with the key as a Bearer token. The address is the whole one, the path
// included. Request: docs.cloudsway.net/IntelliSearch/api-reference/smartsearch; answer, and the counts that are taken (10, 20 … 50):
// github.com/Cloudsway-AI/smartsearch, README.md.
type cloudsWay struct{}

func (cloudsWay) service() string { return toolkey.CloudsWay }
func (cloudsWay) title() string   { return "CloudsWay" }

// cloudsWayCount is the least number of results that can be asked for, and the most that are wanted here.
const cloudsWayCount = "10"

func (cloudsWay) request(ctx context.Context, a toolkey.Access, q Query) (*http.Request, error) {
	req, err := a.Request(ctx, http.MethodGet, at(a.BaseURL, url.Values{"q": {q.Text}, "count": {cloudsWayCount}}), nil)
	if err == nil && strings.HasPrefix(a.BaseURL, toolkey.CloudsWayKeyOnly) {
		// There the key has no prefix (clawhub.ai/prismheart/cloudsway-smartsearch).
		req.Header.Set("Authorization", a.Key)
	}
	return req, err
}

func (cloudsWay) refused(answer *http.Response) error { return toolkey.Refused(answer) }

func (cloudsWay) read(body []byte) (Results, error) {
	var said struct {
		WebPages *struct {
			Value []struct {
				Name          string `json:"name"`
				URL           string `json:"url"`
				Snippet       string `json:"snippet"`
				DatePublished string `json:"datePublished"`
			} `json:"value"`
		} `json:"webPages"`
		QueryContext json.RawMessage `json:"queryContext"`
	}
	if err := json.Unmarshal(body, &said); err != nil || said.WebPages == nil && said.QueryContext == nil {
		return Results{}, errNoJSON
	}
	var out Results
	if said.WebPages != nil {
		for _, p := range said.WebPages.Value {
			out.Items = append(out.Items, Item{Title: p.Name, URL: p.URL, Text: p.Snippet, Published: day(p.DatePublished)})
		}
	}
	return out, nil
}
