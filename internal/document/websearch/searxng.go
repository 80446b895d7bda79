package websearch

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
)

// searXNG is a server of SearXNG: GET /search?q&format=json, without a key. Parameters, and the 403 where its settings do not list the
// format: github.com/searxng/searxng, docs/dev/search_api.rst; answer: get_json_response in searx/webutils.py. An answer was a text, and is
// an object with it in later versions.
type searXNG struct{}

func (searXNG) service() string { return toolkey.SearXNG }
func (searXNG) title() string   { return "SearXNG" }

func (searXNG) request(ctx context.Context, a toolkey.Access, q Query) (*http.Request, error) {
	return a.Request(ctx, http.MethodGet, "/search?"+url.Values{"q": {q.Text}, "format": {"json"}}.Encode(), nil)
}

func (searXNG) refused(answer *http.Response) error {
	if answer.StatusCode == http.StatusForbidden {
		return fault.Errorf(fault.Invalid, "the server gives no JSON (403): add json to search.formats in its settings.yml")
	}
	return toolkey.Refused(answer)
}

func (searXNG) read(body []byte) (Results, error) {
	var said struct {
		Results *[]struct {
			Title         string `json:"title"`
			URL           string `json:"url"`
			Content       string `json:"content"`
			PublishedDate string `json:"publishedDate"`
		} `json:"results"`
		Answers      []json.RawMessage `json:"answers"`
		Unresponsive []json.RawMessage `json:"unresponsive_engines"`
	}
	if err := json.Unmarshal(body, &said); err != nil || said.Results == nil {
		return Results{}, errNoJSON
	}
	if len(*said.Results) == 0 && len(said.Unresponsive) > 0 {
		return Results{}, fault.Errorf(fault.Unavailable, "none of the engines that it asks has answered it")
	}
	var out Results
	if len(said.Answers) > 0 {
		out.Answer = answerOf(said.Answers[0])
	}
	for _, p := range *said.Results {
		out.Items = append(out.Items, Item{Title: p.Title, URL: p.URL, Text: p.Content, Published: day(p.PublishedDate)})
	}
	return out, nil
}

func answerOf(raw json.RawMessage) (text string) {
	var object struct {
		Answer string `json:"answer"`
	}
	if json.Unmarshal(raw, &text) != nil && json.Unmarshal(raw, &object) == nil {
		text = object.Answer
	}
	return text
}
