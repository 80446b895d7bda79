// Command feeds is an example of a plugin: it reads RSS and Atom feeds. README.md says how it is built and installed.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	plugin "xbot/sdk/go"
)

func main() {
	if err := serve(plugin.New(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(p *plugin.Plugin, in io.Reader, out io.Writer) error {
	f := &feeds{plugin: p, cache: cache{known: map[string]known{}}}
	p.Tool("read", f.read)
	p.Tool("follow", f.followTool)
	p.Command("feeds", f.command)
	p.Enricher("unread", f.unread)
	p.Widget("reader", f.panel)
	return p.Serve(in, out)
}

// Bounds of what is read and kept.
const (
	usualEntries = 10
	maxEntries   = 50
	maxFollowed  = 50 // feeds of one person
)

type feeds struct {
	plugin *plugin.Plugin
	cache
}

func (f *feeds) read(ctx context.Context, c plugin.Call) (string, error) {
	var in struct {
		URL   string `json:"url"`
		Limit int    `json:"limit"`
	}
	if err := c.Decode(&in); err != nil {
		return "", err
	}
	feed, err := f.fetch(ctx, in.URL)
	if err != nil {
		return "", err
	}
	limit := in.Limit
	if limit <= 0 {
		limit = usualEntries
	}
	entries := feed.Entries[:min(len(feed.Entries), limit, maxEntries)]
	if err := f.seen(ctx, c.Person, in.URL, feed); err != nil {
		return "", err
	}
	lines := []string{"# " + feed.Title}
	for _, e := range entries {
		lines = append(lines, "", "## "+e.Title, e.When+" "+e.Link, e.Text)
	}
	return strings.Join(lines, "\n"), nil
}

// below is what the keys of feeds that a person follows begin with; the address follows. The value is the link of the newest entry that was read.
// Each feed has a separate key: xbot may run this plugin in several processes, which would overwrite each other's list.
const (
	below      = "feed/"
	maxAddress = 256 - len(below) // bytes
)

// followed lists the addresses of the feeds of a person, in order.
func (f *feeds) followed(ctx context.Context, person string) ([]string, error) {
	keys, err := f.plugin.Storage(person).List(ctx, below, "")
	for i := range keys {
		keys[i] = strings.TrimPrefix(keys[i], below)
	}
	return keys, err
}

func (f *feeds) followTool(ctx context.Context, c plugin.Call) (string, error) {
	var in struct {
		URL string `json:"url"`
	}
	if err := c.Decode(&in); err != nil {
		return "", err
	}
	return f.follow(ctx, c.Person, in.URL)
}

func (f *feeds) follow(ctx context.Context, person, url string) (string, error) {
	if person == "" {
		return "", errors.New("nobody is here who could follow a feed")
	}
	if len(url) > maxAddress {
		return "", fmt.Errorf("an address of more than %d bytes cannot be followed", maxAddress)
	}
	feed, err := f.fetch(ctx, url)
	if err != nil {
		return "", err
	}
	f.changes.Lock()
	defer f.changes.Unlock()
	all, err := f.followed(ctx, person)
	if err != nil {
		return "", err
	}
	if !slices.Contains(all, url) {
		if len(all) >= maxFollowed {
			return "", fmt.Errorf("at most %d feeds can be followed: remove one", maxFollowed)
		}
		if err := f.plugin.Storage(person).Set(ctx, below+url, ""); err != nil {
			return "", err
		}
	}
	return "Followed: " + feed.Title, nil
}

// seen notes what a person has read of a feed that they follow.
func (f *feeds) seen(ctx context.Context, person, url string, feed feed) error {
	if person == "" || len(url) > maxAddress || len(feed.Entries) == 0 {
		return nil
	}
	f.changes.Lock()
	defer f.changes.Unlock()
	kept := f.plugin.Storage(person)
	if _, follows, err := kept.Get(ctx, below+url); err != nil || !follows {
		return err
	}
	return kept.Set(ctx, below+url, feed.Entries[0].Link)
}

func (f *feeds) command(ctx context.Context, c plugin.Command) (string, error) {
	what, url, _ := strings.Cut(strings.TrimSpace(c.Args), " ")
	switch url = strings.TrimSpace(url); {
	case what == "add" && url != "":
		return f.follow(ctx, c.Person, url)
	case what == "remove" && url != "":
		return f.unfollow(ctx, c, url)
	case what == "" || what == "list":
		return f.list(ctx, c)
	}
	return "", errors.New("write /feeds, /feeds add URL or /feeds remove URL")
}

func (f *feeds) unfollow(ctx context.Context, c plugin.Command, url string) (string, error) {
	f.changes.Lock()
	defer f.changes.Unlock()
	if len(url) <= maxAddress {
		if err := f.plugin.Storage(c.Person).Delete(ctx, below+url); err != nil {
			return "", err
		}
	}
	return say(c, "Not followed any more: ", "已取消订阅：") + url, nil
}

func (f *feeds) list(ctx context.Context, c plugin.Command) (string, error) {
	all, err := f.followed(ctx, c.Person)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return say(c, "You follow no feeds. Write /feeds add URL.", "你没有订阅任何源。输入 /feeds add URL 添加。"), nil
	}
	var lines []string
	for _, url := range all {
		lines = append(lines, "* "+url)
	}
	return strings.Join(lines, "\n"), nil
}

func say(c plugin.Command, english, chinese string) string {
	if c.Language == "zh" {
		return chinese
	}
	return english
}

// unread counts what is new in the feeds of a person, by what was fetched recently: a prompt does not wait for other servers.
func (f *feeds) unread(ctx context.Context, s plugin.Scene) (string, error) {
	if s.Person == "" {
		return "", nil
	}
	all, err := f.followed(ctx, s.Person)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, url := range all {
		feed, ok := f.lately(url)
		if !ok {
			lines = append(lines, "- "+url)
			continue
		}
		newest, _, err := f.plugin.Storage(s.Person).Get(ctx, below+url)
		if err != nil {
			return "", err
		}
		n := slices.IndexFunc(feed.Entries, func(e entry) bool { return e.Link == newest })
		if n < 0 {
			n = len(feed.Entries)
		}
		lines = append(lines, fmt.Sprintf("- %s (%s): %d unread", feed.Title, url, n))
	}
	if len(lines) == 0 {
		return "", nil
	}
	return "Feeds that the person follows:\n" + strings.Join(lines, "\n"), nil
}
