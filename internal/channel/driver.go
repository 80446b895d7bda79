package channel

import (
	"context"
	"net/http"
)

// Driver makes the accounts of one platform. Its name is that of the channel in session keys and policies.
type Driver struct {
	Name string
	// Options are what an account is configured with, in the order in which a person fills them in.
	Options []Option
	// Open makes an account. It checks the form of the settings, asks nobody, and names the option that is wrong.
	Open func(account string, settings map[string]string, o Opening) (Account, error)
	// Called is the protocol by which the platform connects to an account, http or ws, by the value of its option mode. With any
	// other one the account connects to the platform.
	Called map[string]string
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

// Opening is what an account gets from its process.
type Opening struct {
	HTTP *http.Client // for calls to the platform
	// Memory keeps what an adapter goes on with after a restart, such as the place in a stream of events. It is the
	// account's own. Nil: nothing is kept.
	Memory Memory
}

// Memory keeps small values by key. Finding an older one costs repeated deliveries; losing one costs what came while nobody ran.
type Memory interface {
	// Load returns nil when nothing was saved under the key.
	Load(ctx context.Context, key string) ([]byte, error)
	Save(ctx context.Context, key string, value []byte) error
}

// Webhook is an account to which the platform delivers by HTTP. The handler answers only after the receiver has committed.
type Webhook interface {
	Webhook(to Receiver, report func(Status)) http.Handler
}
