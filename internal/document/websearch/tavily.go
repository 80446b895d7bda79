package websearch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
)

// tavily is Tavily's search: POST /search with the key as a Bearer token. Shapes: docs.tavily.com/api-reference/endpoint/search; the
// answers 432 and 433: github.com/tavily-ai/tavily-python, tavily/tavily.py.
type tavily struct{}

func (tavily) service() string { return toolkey.Tavily }
func (tavily) title() string   { return "Tavily" }

func (tavily) request(ctx context.Context, a toolkey.Access, q Query) (*http.Request, error) {
	body, err := json.Marshal(map[string]any{"query": q.Text, "max_results": q.Max, "search_depth": q.Depth, "include_answer": true})
	if err != nil {
		return nil, fmt.Errorf("encode a search: %w", err)
	}
	req, err := a.Request(ctx, http.MethodPost, "/search", bytes.NewReader(body))
	if err == nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, err
}

func (tavily) refused(answer *http.Response) error {
	if answer.StatusCode == 432 || answer.StatusCode == 433 {
		return fault.Errorf(fault.RateLimited, "what the account's plan allows is used up (%d)", answer.StatusCode)
	}
	return toolkey.Refused(answer)
}

func (tavily) read(body []byte) (Results, error) {
	var said struct {
		Answer  string `json:"answer"`
		Results *[]struct {
			Title         string `json:"title"`
			URL           string `json:"url"`
			Content       string `json:"content"`
			PublishedDate string `json:"published_date"`
		} `json:"results"`
	}
	if err := json.Unmarshal(body, &said); err != nil || said.Results == nil {
		return Results{}, errNoJSON
	}
	out := Results{Answer: said.Answer}
	for _, p := range *said.Results {
		out.Items = append(out.Items, Item{Title: p.Title, URL: p.URL, Text: p.Content, Published: day(p.PublishedDate)})
	}
	return out, nil
}
