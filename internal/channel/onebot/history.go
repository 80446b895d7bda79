package onebot

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"xbot/internal/channel"
	"xbot/internal/channel/onebot/wire"
	"xbot/internal/fault"
)

// Bounds of catching up.
const (
	overlap     = time.Minute    // read again, since clocks differ
	maxBack     = 24 * time.Hour // older messages are left alone
	maxContacts = 300            // chats that are requested from NapCat
	firstPage   = 50             // messages of a chat
	wholePage   = 200            // messages of a chat that was busy
	askAtOnce   = 4              // chats
	backWait    = 2 * time.Minute
	maxBehind   = 3 // times that catching up may fail before what can be read is enough
)

// catchUp processes messages written since the last processed event. Live events wait until it has returned.
func (in *intake) catchUp(ctx context.Context) error {
	now := time.Now()
	since, err := in.marks.start(ctx, in.resources.Memory, now)
	if err != nil {
		return fault.Errorf(fault.Unavailable, "look up since when messages may be missing: %w", err)
	}
	if since.IsZero() { // the first start: earlier messages are ignored
		_ = in.marks.save(ctx, in.resources.Memory, true) // the next event saves it, too
		return nil
	}
	if since = since.Add(-overlap); since.Before(now.Add(-maxBack)) {
		since = now.Add(-maxBack)
	}
	within, cancel := context.WithTimeout(ctx, backWait)
	defer cancel()
	messages, err := in.missing(within, in.contacts(within, since), since)
	if in.behind++; err != nil && in.behind < maxBehind {
		return fault.Errorf(fault.Unavailable, "read what may be missing: %w", err)
	}
	in.behind = 0
	taken := make(chan struct{}, len(messages))
	for _, e := range messages {
		in.marks.begin(e)
		e.settled = func() { taken <- struct{}{} }
	}
	for _, e := range messages {
		in.lane(ctx, e)
	}
	for range messages { // nothing newer is to overtake them
		select {
		case <-taken:
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// contacts returns the chats with messages since then, newest first, then the chats with earlier messages.
func (in *intake) contacts(ctx context.Context, since time.Time) []string {
	var got []struct {
		Peer wire.Number  `json:"peerUin"`
		Time wire.Seconds `json:"msgTime"`
		Type wire.Number  `json:"chatType"` // 2: group
	}
	if err := in.ask(ctx, "get_recent_contact", params{"count": maxContacts}, &got); err != nil {
		return in.met.places() // this version has no such list
	}
	var out []string
	quietOnes := map[string]bool{}
	for _, c := range got {
		place := "p" + string(c.Peer)
		if c.Type == "2" {
			place = "g" + string(c.Peer)
		}
		switch {
		case c.Peer == "" || c.Peer == "0":
		case c.Time != 0 && c.Time.Time().Before(since):
			quietOnes[place] = true
		default:
			out = append(out, place)
		}
	}
	for _, place := range in.met.places() {
		if !quietOnes[place] && !slices.Contains(out, place) {
			out = append(out, place)
		}
	}
	return out[:min(len(out), maxChats)]
}

// missing returns the messages of users in chats since a time, in order. An error means that some could not be read.
func (in *intake) missing(ctx context.Context, places []string, since time.Time) ([]*event, error) {
	var (
		mu    sync.Mutex
		all   []*event
		bad   error
		asks  sync.WaitGroup
		slots = make(chan struct{}, askAtOnce)
	)
	for _, place := range places {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			asks.Wait()
			return all, context.Cause(ctx)
		}
		asks.Go(func() {
			defer func() { <-slots }()
			found, err := in.chatSince(ctx, place, since)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, found...)
			if err != nil {
				bad = err
			}
		})
	}
	asks.Wait()
	slices.SortStableFunc(all, func(a, b *event) int { return cmp.Compare(a.Time, b.Time) })
	return all, bad
}

// chatSince returns the messages of users in a chat since a time.
func (in *intake) chatSince(ctx context.Context, place string, since time.Time) ([]*event, error) {
	messages, err := in.history(ctx, place, firstPage)
	if err == nil && len(messages) >= firstPage && !messages[0].Time.Time().Before(since) {
		messages, err = in.history(ctx, place, wholePage)
	}
	if err != nil {
		return nil, err
	}
	var out []*event
	for _, e := range messages {
		if e.UserID == in.who() {
			in.met.put(place, e.MessageID, metEntry{id: messageID(place, e.MessageID, e.Time), self: true})
			continue
		}
		if !e.Time.Time().Before(since) && !in.marks.has(e) {
			e.PostType = "message"
			out = append(out, e)
		}
	}
	return out, nil
}

// history reads the newest messages of a chat, oldest first. A chat without any yields none.
func (a *account) history(ctx context.Context, place string, count int) ([]*event, error) {
	action, who := "get_friend_msg_history", "user_id"
	if strings.HasPrefix(place, "g") {
		action, who = "get_group_msg_history", "group_id"
	}
	var got struct {
		Messages []json.RawMessage `json:"messages"`
	}
	err := a.ask(ctx, action, params{who: place[1:], "count": count, "parse_mult_msg": false}, &got)
	if fault.Is(err, fault.NotFound) && !strings.Contains(err.Error(), "no action") {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []*event
	for _, data := range got.Messages {
		var e event
		if channel.Decode(data, &e) != nil || e.MessageID == "" || e.UserID == "" {
			continue // a kind of message that OneBot has no form for
		}
		out = append(out, &e)
	}
	slices.SortStableFunc(out, func(x, y *event) int {
		return cmp.Or(cmp.Compare(x.Time, y.Time), cmp.Compare(order(x), order(y)))
	})
	return out, nil
}

func order(e *event) int64 {
	n, err := strconv.ParseInt(string(e.RealSeq), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// findPage is how many of the newest messages of a chat are searched for one of the bot.
const findPage = 100

// Settles returns when NapCat has either sent a message, or reported that it has not: a send takes no longer.
func (a *account) Settles(m channel.Message) time.Duration { return sendTime(m) }

// Find looks for a message of the bot in the history of a chat: the first since a time that has the same content. It is Denied if
// the history does not cover all of that time.
func (a *account) Find(ctx context.Context, to channel.Address, m channel.Message, since time.Time) (channel.Sent, bool, error) {
	parts, err := a.compose(to, m)
	if err != nil {
		return channel.Sent{}, false, err
	}
	place, err := placeOf(to)
	if err != nil {
		return channel.Sent{}, false, err
	}
	if a.who() == "" {
		if err := a.with(ctx, func(c *conn) error { _, err := a.whoami(ctx, c); return err }); err != nil {
			return channel.Sent{}, false, err
		}
	}
	messages, err := a.history(ctx, place, findPage)
	if err != nil {
		return channel.Sent{}, false, err
	}
	from := since.Truncate(time.Second).Add(-time.Second) // QQ's clock has a resolution of seconds
	for _, e := range messages {
		if e.UserID != a.who() || e.Time.Time().Before(from) || !same(parts, wire.ParseMessage(e.Message), m.File) {
			continue
		}
		return channel.Sent{ID: messageID(place, e.MessageID, e.Time), At: e.Time.Time()}, true, nil
	}
	if len(messages) == 0 || len(messages) >= findPage && !messages[0].Time.Time().Before(from) {
		return channel.Sent{}, false, fault.Errorf(fault.Denied, "the history of the chat does not reach back to %s", from.Format(time.RFC3339))
	}
	return channel.Sent{}, false, nil
}
