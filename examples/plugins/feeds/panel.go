package main

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	plugin "xbot/sdk/go"
)

// shown is how many entries of a feed the panel shows.
const shown = 5

// card is a feed as the panel shows it.
type card struct {
	URL     string  `json:"url"`
	Title   string  `json:"title"`
	Entries []entry `json:"entries"`
	Problem string  `json:"problem,omitempty"`
}

// panel answers what the panel asks: it follows a feed, stops, and lists what a person follows with the newest entries.
func (f *feeds) panel(ctx context.Context, a plugin.Ask) (any, error) {
	var in struct {
		Follow   string `json:"follow"`
		Unfollow string `json:"unfollow"`
	}
	if err := json.Unmarshal(a.Params, &in); err != nil {
		return nil, errors.New("the panel asked something else than this version knows")
	}
	if in.Follow != "" {
		if _, err := f.follow(ctx, a.Person, in.Follow); err != nil {
			return nil, err
		}
	}
	if in.Unfollow != "" {
		if _, err := f.unfollow(ctx, plugin.Command{Person: a.Person}, in.Unfollow); err != nil {
			return nil, err
		}
	}
	all, err := f.followed(ctx, a.Person)
	if err != nil {
		return nil, err
	}
	cards := make([]card, len(all))
	var work sync.WaitGroup
	for i, url := range all {
		work.Go(func() { cards[i] = f.card(ctx, url) })
	}
	work.Wait()
	return map[string]any{"feeds": cards}, nil
}

// card returns a feed as it was fetched recently, or is fetched now.
func (f *feeds) card(ctx context.Context, url string) card {
	feed, ok := f.lately(url)
	var err error
	if !ok {
		feed, err = f.fetch(ctx, url)
	}
	c := card{URL: url, Title: feed.Title, Entries: feed.Entries[:min(len(feed.Entries), shown)]}
	if err != nil {
		c.Title, c.Problem = url, err.Error()
	}
	return c
}
