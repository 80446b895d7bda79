package channel

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
)

// Driver makes the accounts of one platform. Its name is that of the channel in session keys and policies.
type Driver struct {
	Name string
	// Version is another one where the same settings have to be opened anew; empty: it never changes.
	Version string
	// Options are what an account is configured with, in the order in which a person fills them in.
	Options []Option
	// Open makes an account. It checks the form of the settings without requests to the platform; an error names the option
	// that is wrong.
	Open func(account string, settings map[string]string, o Resources) (Account, error)
	// Called is the protocol by which the platform connects to an account, http or ws, by the value of its option mode. With any
	// other one the account connects to the platform.
	Called map[string]string
	// IDs are what people and chats are called on the platform.
	IDs IDs
}

// IDs are the forms of the ids of a platform, as regular expressions.
type IDs struct {
	Person  string // somebody who writes directly
	Direct  string // a direct chat, where it has an id beside that of the person; empty: it has none
	Group   string
	Example string // of the id of a person, for those who have to write one
}

// Option is one setting of an account.
type Option struct {
	Name     string // as in files and in the API, such as app_id
	Env      string // variable that sets it for the default account, such as FEISHU_APP_ID
	Label    string // for people
	Help     string // where it is found on the platform
	Secret   bool   // stored encrypted, never shown
	Required bool
	Choices  []string // the values it may have; empty: any
	Default  string
}

// Resources is what an account gets from its process.
type Resources struct {
	HTTP *http.Client // for calls to the platform
	// Files makes the client for files at addresses that came with messages; nil: HTTP gets them, too.
	Files FileClients
	// Memory keeps what an adapter goes on with after a restart, such as the place in a stream of events. It is the
	// account's own. Nil: nothing is kept.
	Memory Memory
}

// FileClients makes clients for files at addresses that anybody may have chosen.
type FileClients interface {
	// FileClient reaches the public internet, what the operator allows, and own, the host:port of the platform if that was
	// configured.
	FileClient(own string) *http.Client
}

// FileClient is the client for files at addresses that came with messages.
func (o Resources) FileClient(own string) *http.Client {
	if o.Files != nil {
		return o.Files.FileClient(own)
	}
	return cmp.Or(o.HTTP, http.DefaultClient)
}

// Memory keeps small values by key. An outdated value causes repeated deliveries; a lost one loses what arrived while no process
// ran.
type Memory interface {
	// Load returns nil when nothing was saved under the key.
	Load(ctx context.Context, key string) ([]byte, error)
	Save(ctx context.Context, key string, value []byte) error
}

// Webhook is an account to which the platform delivers by HTTP. The handler answers only after the receiver has committed.
type Webhook interface {
	Webhook(to Receiver, report Reporter) http.Handler
}

// HostPort is the host:port that an address leads to, empty if it leads nowhere.
func HostPort(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https" || u.Scheme == "wss":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}
