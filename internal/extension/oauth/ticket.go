package oauth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// TicketLife is the lifetime of a ticket that no call waits for.
const TicketLife = 10 * time.Minute

// Ticket names a user, and the provider at which to connect an account. It holds all its data, signed with the installation's key: a worker can make
// one that an ingress accepts after any number of restarts. One of a call can be used while the call waits, any other for TicketLife.
type Ticket struct {
	User     chat.UserID
	Provider string
	Scopes   []string    // in addition to those of the provider
	Call     chat.CallID // that waits; empty: none
	Login    bool        // only a browser that is signed in as the user may use it
	Expires  time.Time   // zero: as long as the call waits
}

// signedTicket is the signed form of a Ticket: for one of a call, the call has the rest.
type signedTicket struct {
	User     chat.UserID `json:"u,omitempty"`
	Provider string      `json:"p,omitempty"`
	Scopes   []string    `json:"s,omitempty"`
	Call     chat.CallID `json:"c,omitempty"`
	Login    bool        `json:"l,omitempty"`
	Expires  int64       `json:"e,omitempty"` // Unix seconds
}

// maxTicket limits a ticket, in bytes.
const maxTicket = 8 << 10

var (
	errForged = fault.Errorf(fault.Denied, "this link is not valid; check that it was copied whole")
	errOver   = fault.Errorf(fault.Conflict, "nothing waits for this link any more")
)

// Address returns the address at which a user uses a ticket; empty: this process does not know the public address of the server.
func (s *Accounts) Address(t Ticket) string {
	if s.Public == "" {
		return ""
	}
	return s.Public + s.Path(t)
}

// Path is like Address, without the server.
func (s *Accounts) Path(t Ticket) string {
	v := signedTicket{User: t.User, Provider: t.Provider, Scopes: t.Scopes, Call: t.Call, Login: t.Login}
	if !t.Expires.IsZero() {
		v.Expires = t.Expires.Unix()
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	return Start + letters.EncodeToString(text) + "." + letters.EncodeToString(s.mac(text))
}

// Link returns the address at which a user answers a call that waits for an account: a ticket if the link is private, else the page, signed in.
// Empty: as with Address.
func (s *Accounts) Link(call chat.CallID, private bool) string {
	if private {
		return s.Address(Ticket{Call: call})
	}
	return s.Page()
}

// Page returns the address at which a signed-in user connects accounts; empty: as with Address.
func (s *Accounts) Page() string {
	if s.Public == "" {
		return ""
	}
	return s.Public + "/settings/accounts"
}

// Ticket parses a ticket. It returns Denied if this server has not signed it, and Conflict if it has expired, or its call waits no more.
func (s *Accounts) Ticket(ctx context.Context, text string) (Ticket, error) {
	body, mac, ok := strings.Cut(text, ".")
	plain, err := letters.DecodeString(body)
	sum, macErr := letters.DecodeString(mac)
	var v signedTicket
	if !ok || len(text) > maxTicket || err != nil || macErr != nil || !hmac.Equal(sum, s.mac(plain)) || json.Unmarshal(plain, &v) != nil {
		return Ticket{}, errForged
	}
	t := Ticket{User: v.User, Provider: v.Provider, Scopes: v.Scopes, Call: v.Call, Login: v.Login}
	if v.Expires != 0 {
		if t.Expires = time.Unix(v.Expires, 0); time.Now().After(t.Expires) {
			return Ticket{}, errOver
		}
	}
	if v.Call == "" {
		return t, nil
	}
	call, ask, err := s.asks(ctx, v.Call)
	if err != nil {
		return Ticket{}, err
	}
	t.User, t.Provider, t.Scopes = call.User, ask.Provider, ask.Scopes
	return t, nil
}

// ForCall returns the ticket of a call that waits for an account of a user. It returns NotFound if it is another user's, and Conflict if it waits no more.
func (s *Accounts) ForCall(ctx context.Context, user chat.UserID, id chat.CallID) (Ticket, error) {
	call, ask, err := s.asks(ctx, id)
	if err == nil && call.User != user {
		err = fault.Errorf(fault.NotFound, "there is no call %.60q", id)
	}
	return Ticket{User: user, Provider: ask.Provider, Scopes: ask.Scopes, Call: id}, err
}

// asks returns the account that a call waits for.
func (s *Accounts) asks(ctx context.Context, id chat.CallID) (call chat.Call, ask chat.AccountAsk, err error) {
	call, err = s.Calls.Call(ctx, id)
	switch {
	case fault.Is(err, fault.NotFound):
		return call, ask, errOver
	case err != nil:
		return call, ask, err
	case call.Approval == nil || call.Approval.State != chat.ApprovalOpen || len(call.Questions) == 0 || call.Questions[0].Connect == nil:
		return call, ask, errOver
	}
	return call, *call.Questions[0].Connect, nil
}

func (s *Accounts) mac(text []byte) []byte {
	h := hmac.New(sha256.New, s.Key.Derive("oauth tickets"))
	h.Write(text)
	return h.Sum(nil)
}

// letters is the alphabet of tickets: Markdown takes none of them for a mark.
var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
