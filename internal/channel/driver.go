package channel

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
)

// Driver makes the accounts of one platform. Its name is the channel's in session keys and policies.
type Driver struct {
	Name string
	// Version changes when accounts with the same settings must be reopened; empty: it never changes.
	Version string
	// Options are the settings of an account, in the order in which a user fills them in.
	Options []Option
	// Open makes an account. It checks the form of the settings without requests to the platform; an error names the option
	// that is wrong.
	Open func(account string, settings map[string]string, o Resources) (Account, error)
	// Called is the protocol by which the platform connects to an account, http or ws, by the value of its option mode. With any
	// other value the account connects to the platform.
	Called map[string]string
	// IDs are the forms of ids of users and chats on the platform.
	IDs IDs
}

// IDs are the forms of the ids of a platform, as regular expressions.
type IDs struct {
	Person  string // a user in a direct chat
	Direct  string // a direct chat, if it has an id other than the user's; empty: it has none
	Group   string
	Example string // of the id of a user, shown where one has to be entered
}

// Option is one setting of an account.
type Option struct {
	Name     string // as in files and in the API, such as app_id
	Env      string // variable that sets it for the default account, such as FEISHU_APP_ID
	Label    string // for users
	Help     string // where it is found on the platform
	Secret   bool   // stored encrypted, never shown
	Required bool
	Choices  []string // the values it may have; empty: any
	Default  string
}

// Resources are the dependencies that an account gets from its process.
type Resources struct {
	HTTP *http.Client // for calls to the platform
	// Files makes the client for files at addresses that came with messages; nil: HTTP gets them, too.
	Files FileClients
	// Memory stores what an adapter resumes from after a restart, such as the position in a stream of events, for this
	// account. Nil: nothing is stored.
	Memory Memory
}

// FileClients makes clients for files at untrusted addresses.
type FileClients interface {
	// FileClient reaches the public internet, addresses that the operator allows, and own, the host:port of the platform if
	// that was configured.
	FileClient(own string) *http.Client
}

// FileClient returns the client for files at addresses that came with messages.
func (o Resources) FileClient(own string) *http.Client {
	if o.Files != nil {
		return o.Files.FileClient(own)
	}
	return cmp.Or(o.HTTP, http.DefaultClient)
}

// Memory stores small values by key. An outdated value causes repeated deliveries; a lost one loses the messages that arrived
// while no process ran.
type Memory interface {
	// Load returns nil when nothing was saved under the key.
	Load(ctx context.Context, key string) ([]byte, error)
	Save(ctx context.Context, key string, value []byte) error
}

// Webhook is an account to which the platform delivers by HTTP. The handler answers only after the receiver has committed.
type Webhook interface {
	Webhook(to Receiver, report Reporter) http.Handler
}

// HostPort returns the host:port that an address leads to, empty if it leads nowhere.
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
