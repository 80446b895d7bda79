package main

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Bounds of a feed.
const (
	maxFeed  = 5 << 20 // bytes
	maxTitle = 200     // characters
	maxText  = 500     // characters of the text of an entry
	maxKnown = 200     // feeds that are remembered
	fresh    = 15 * time.Minute
	fetching = 15 * time.Second
)

type feed struct {
	Title   string
	Entries []entry // the newest first, as the feed has them
}

type entry struct {
	Title string `json:"title"`
	Link  string `json:"link"`
	When  string `json:"when"`
	Text  string `json:"text"`
}

// cache is what was fetched recently.
type cache struct {
	changes sync.Mutex // of what people follow

	mu    sync.Mutex
	known map[string]known
}

type known struct {
	feed feed
	at   time.Time
}

// lately returns a feed that was fetched, and fetches it again in the background if that was long ago.
func (f *feeds) lately(address string) (feed, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k, ok := f.known[address]
	if !ok || time.Since(k.at) > fresh {
		f.known[address] = known{k.feed, time.Now()} // one fetches it
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), fetching)
			defer cancel()
			if _, err := f.fetch(ctx, address); err != nil {
				f.plugin.Log("warn", "a feed cannot be read: "+err.Error())
			}
		}()
	}
	return k.feed, ok && k.feed.Title != ""
}

// fetch reads a feed.
func (f *feeds) fetch(ctx context.Context, address string) (feed, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return feed{}, errors.New("the address has to begin with http:// or https://")
	}
	ctx, cancel := context.WithTimeout(ctx, fetching)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return feed{}, err
	}
	resp, err := f.client().Do(req)
	if err != nil {
		return feed{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return feed{}, fmt.Errorf("the server answered %d", resp.StatusCode)
	}
	out, err := parse(io.LimitReader(resp.Body, maxFeed))
	if err != nil {
		return feed{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.known) >= maxKnown {
		clear(f.known)
	}
	f.known[address] = known{out, time.Now()}
	return out, nil
}

// client reaches public addresses alone, unless an administrator allows others: the model and strangers choose the addresses.
func (f *feeds) client() *http.Client {
	var set struct {
		Private bool `json:"private_addresses"`
	}
	_ = f.plugin.Settings(&set) // without settings it is not allowed
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if ip := at.Addr(); !set.Private && !public(ip) {
			return fmt.Errorf("%s is no public address", ip)
		}
		return nil
	}}
	return &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
}

// document is RSS or Atom.
type document struct {
	XMLName xml.Name `xml:""`
	Title   string   `xml:"title"` // of Atom
	Entries []item   `xml:"entry"` // of Atom
	Items   []item   `xml:"item"`  // of RSS 1.0
	Channel struct {
		Title string `xml:"title"`
		Items []item `xml:"item"`
	} `xml:"channel"`
}

type item struct {
	Title string `xml:"title"`
	Links []struct {
		Href string `xml:"href,attr"`
		Rel  string `xml:"rel,attr"`
		Text string `xml:",chardata"`
	} `xml:"link"`
	Description string `xml:"description"`
	Summary     string `xml:"summary"`
	Content     string `xml:"content"`
	PubDate     string `xml:"pubDate"`
	Published   string `xml:"published"`
	Updated     string `xml:"updated"`
}

func parse(from io.Reader) (feed, error) {
	var d document
	in := xml.NewDecoder(from)
	in.CharsetReader = func(charset string, input io.Reader) (io.Reader, error) {
		if strings.EqualFold(charset, "us-ascii") {
			return input, nil
		}
		return nil, fmt.Errorf("the feed is written in %s: only UTF-8 is read", charset)
	}
	if err := in.Decode(&d); err != nil {
		return feed{}, fmt.Errorf("it is no feed: %w", err)
	}
	switch d.XMLName.Local {
	case "rss", "RDF", "feed":
	default:
		return feed{}, errors.New("it is no feed")
	}
	out := feed{Title: plain(cmp.Or(d.Title, d.Channel.Title, "untitled"), maxTitle)}
	for _, i := range append(append(d.Entries, d.Items...), d.Channel.Items...) {
		out.Entries = append(out.Entries, entry{
			Title: plain(i.Title, maxTitle), Link: link(i), When: plain(cmp.Or(i.Published, i.PubDate, i.Updated), 40),
			Text: plain(cmp.Or(i.Summary, i.Description, i.Content), maxText),
		})
	}
	return out, nil
}

func link(i item) string {
	for _, l := range i.Links {
		if l.Rel == "" || l.Rel == "alternate" {
			return plain(cmp.Or(l.Href, l.Text), 2000)
		}
	}
	return ""
}

var tags = regexp.MustCompile(`<[^>]*>`)

// plain returns a text without tags, on one line, with at most so many characters.
func plain(text string, most int) string {
	text = strings.Join(strings.Fields(tags.ReplaceAllString(text, " ")), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
