package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Holders returns the internal address of the process that runs an account, empty if none does.
type Holders interface {
	ChannelHolder(ctx context.Context, channel, account string) (address string, err error)
}

// Accounts are the accounts of Live. An account whose connection another process holds uses that process.
type Accounts struct {
	Live    Live
	Holders Holders
	HTTP    *http.Client // for calls of other processes of this server; without a timeout
	Key     KeySource
}

// KeySource returns the key by which the processes of one server authenticate to one another. It may change while they run.
type KeySource interface {
	InternalKey() string
}

// Account returns an account, as Live does.
func (a *Accounts) Account(ctx context.Context, name, account string) (channel.Account, error) {
	found, err := a.Live.Account(ctx, name, account)
	if err != nil {
		return nil, err
	}
	if h, is := found.(channel.ConnectedAccount); is {
		return &remote{ConnectedAccount: h, all: a, channel: name, account: account}, nil
	}
	return found, nil
}

// remote is an account that is reached through the process that holds its connection.
type remote struct {
	channel.ConnectedAccount // calls without the connection, and all calls if the connection is here

	all              *Accounts
	channel, account string
}

// Send sends one message. A lost answer leaves its outcome open. A file over the platform's limit is refused here, before it is carried
// to the other process.
func (r *remote) Send(ctx context.Context, to channel.Address, m channel.Message) (channel.Sent, error) {
	if r.Here() {
		return r.ConnectedAccount.Send(ctx, to, m)
	}
	if most := channel.TraitsAt(r.ConnectedAccount, to).MaxFile; m.File != nil && int64(len(m.File.Data)) > most {
		return channel.Sent{}, fault.Errorf(fault.TooLarge, "%s has %d bytes; %s takes at most %d", cmp.Or(m.File.Name, "the file"), len(m.File.Data), r.channel, most)
	}
	out, err := r.ask(ctx, call{Do: doSend, To: to, Message: m})
	return out.Sent, err
}

// Check asks the platform for the identity of the bot.
func (r *remote) Check(ctx context.Context) (channel.Identity, []channel.Problem, error) {
	if r.Here() {
		return r.ConnectedAccount.Check(ctx)
	}
	out, err := r.ask(ctx, call{Do: doCheck})
	return out.Identity, out.Problems, channel.Certain(err)
}

// Find looks for a message whose sending has an unknown outcome.
func (r *remote) Find(ctx context.Context, to channel.Address, m channel.Message, since time.Time) (channel.Sent, bool, error) {
	if r.Here() {
		return r.ConnectedAccount.Find(ctx, to, m, since)
	}
	out, err := r.ask(ctx, call{Do: doFind, To: to, Message: m, Since: since})
	return out.Sent, out.Found, channel.Certain(err)
}

// Pace waits in the process that holds the connection.
func (r *remote) Pace(ctx context.Context) error {
	if r.Here() {
		return r.ConnectedAccount.Pace(ctx)
	}
	_, err := r.ask(ctx, call{Do: doPace})
	return channel.Certain(err)
}

// Delete takes back a message that was sent.
func (r *remote) Delete(ctx context.Context, to channel.Address, id string) error {
	if r.Here() {
		return r.ConnectedAccount.Delete(ctx, to, id)
	}
	_, err := r.ask(ctx, call{Do: doDelete, To: to, ID: id})
	return err
}

// React adds a reaction to a user's message.
func (r *remote) React(ctx context.Context, to channel.Address, id, emoji string) error {
	if r.Here() {
		return r.ConnectedAccount.React(ctx, to, id, emoji)
	}
	_, err := r.ask(ctx, call{Do: doReact, To: to, ID: id, Emoji: emoji})
	return err
}

// Typing shows that an answer is being written.
func (r *remote) Typing(ctx context.Context, to channel.Address) error {
	if r.Here() {
		return r.ConnectedAccount.Typing(ctx, to)
	}
	_, err := r.ask(ctx, call{Do: doTyping, To: to})
	return err
}

// Fetch returns the content of a file that came with a message; the caller closes it.
func (r *remote) Fetch(ctx context.Context, message string, file chat.Attachment) (io.ReadCloser, error) {
	if r.Here() {
		return r.ConnectedAccount.Fetch(ctx, message, file)
	}
	res, err := r.post(ctx, call{Do: doFetch, ID: message, File: file})
	if err != nil {
		return nil, channel.Certain(err)
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), contentType) {
		return res.Body, nil
	}
	out, err := read(res)
	if err == nil {
		err = fault.Errorf(fault.Unavailable, "the process that holds %s answered a fetch without a file", channel.Name(r.channel, r.account))
	}
	_ = out // a fetch has no other outcome
	return nil, channel.Certain(err)
}

// ask asks the process that holds the connection to do something.
func (r *remote) ask(ctx context.Context, c call) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	res, err := r.post(ctx, c)
	if err != nil {
		return outcome{}, err
	}
	return read(res)
}

// post sends a call; the caller closes the body of the answer.
func (r *remote) post(ctx context.Context, c call) (*http.Response, error) {
	c.Channel, c.Account = r.channel, r.account
	name := channel.Name(c.Channel, c.Account)
	address, err := r.all.Holders.ChannelHolder(ctx, c.Channel, c.Account)
	if err != nil {
		return nil, err
	}
	if address == "" {
		return nil, fault.Errorf(fault.Unavailable, "no process of this server runs the channel %s", name)
	}
	body, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(address, "/")+Path, bytes.NewReader(body))
	if err != nil {
		return nil, fault.Errorf(fault.Unavailable, "the address of the process that holds %s is malformed: %w", name, err)
	}
	req.Header.Set("Authorization", "Bearer "+r.all.Key.InternalKey())
	req.Header.Set("Content-Type", "application/json")
	return channel.Do(r.all.HTTP, req, "ask the process that holds "+name)
}

// maxRefusal bounds how much of a refusal is read, in bytes.
const maxRefusal = 4 << 10

// read reads an answer and closes it. A refusal of the other process is certain: it has not carried out the call.
func read(res *http.Response) (outcome, error) {
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(res.Body, maxRefusal)) // a partial text will do
		err := fault.Errorf(fault.Unavailable, "the process that holds the connection answered %s: %s", res.Status, bytes.TrimSpace(said))
		if res.StatusCode > http.StatusInternalServerError && res.StatusCode != http.StatusServiceUnavailable {
			return outcome{}, channel.Uncertain(err) // a proxy on the way, which may have passed the call on
		}
		return outcome{}, err
	}
	var out outcome
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		return outcome{}, channel.Uncertain(fault.Errorf(fault.Unavailable, "the answer of the process that holds the connection was lost: %w", err))
	}
	return out, out.Error.err()
}
