package localstack

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"strconv"

	"xbot/internal/host/localstack/pgserver"
)

// serverName is the name in the certificate of xbot-temporal.
const serverName = "xbot-temporal"

// uiPath is the path at which the ingress mounts the UI; its pages link to themselves under it.
const uiPath = "/temporal"

// UITokenHeader carries Temporal.UIToken in each request to the Temporal UI.
const UITokenHeader = "X-Xbot-Ui-Token"

// Endpoints are the addresses and credentials of the two servers. They hold secrets: logged, they show none.
type Endpoints struct {
	// DatabaseURL opens the product's database, whose owner is the role in it.
	DatabaseURL string
	Temporal    Temporal
}

// Temporal is the addresses and credentials of Temporal and its UI.
type Temporal struct {
	Address   string // host:port of the frontend; asks for a client certificate
	Namespace string
	// ServerName is the name to expect in the server's certificate.
	ServerName string
	// CAFile, CertFile and KeyFile are PEM files: the authority, and the client's certificate and key.
	CAFile, CertFile, KeyFile string
	// UIAddress is the host:port of the UI, which answers only requests with UIToken in the header UITokenHeader
	// and lives under UIPath.
	UIAddress, UIToken, UIPath string
}

// LogValue keeps the secrets out of logs.
func (e Endpoints) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("temporal", e.Temporal.Address),
		slog.String("temporal_ui", e.Temporal.UIAddress),
		slog.String("namespace", e.Temporal.Namespace),
	)
}

// String keeps the secrets out of messages.
func (e Endpoints) String() string {
	return fmt.Sprintf("Postgres on a private socket, Temporal at %s, its UI at %s", e.Temporal.Address, e.Temporal.UIAddress)
}

// GoString does for %#v what String does for the rest.
func (e Endpoints) GoString() string { return e.String() }

// Read returns the endpoints of the stack that was started on a home before, for other programs of the same user.
// It does not check whether the stack is running.
func Read(path string) (Endpoints, error) {
	h := home(path)
	chosen, err := h.readChoices()
	if err == nil {
		var endpoints Endpoints
		if endpoints, err = h.endpoints(chosen, h.readSecret); err == nil {
			return endpoints, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Endpoints{}, fmt.Errorf("no local stack was started on %s yet; run xbot serve once", path)
	}
	return Endpoints{}, fmt.Errorf("read the local stack of %s: %w", path, err)
}

// endpoints combines the choices and the secrets, which secret reads or makes.
func (h home) endpoints(chosen choices, secret func(string) (string, error)) (Endpoints, error) {
	password, err := secret(productPassword)
	if err != nil {
		return Endpoints{}, err
	}
	token, err := secret(uiToken)
	if err != nil {
		return Endpoints{}, err
	}
	return Endpoints{
		DatabaseURL: databaseURL(productRole, password, productDatabase, chosen.Socket),
		Temporal: Temporal{
			Address:    loopback(chosen.TemporalPort),
			Namespace:  chosen.Namespace,
			ServerName: serverName,
			CAFile:     h.tls(caFile),
			CertFile:   h.tls(clientFile),
			KeyFile:    h.tls(clientKeyFile),
			UIAddress:  loopback(chosen.UIPort),
			UIToken:    token,
			UIPath:     uiPath,
		},
	}, nil
}

// databaseURL opens a database over the socket in a folder.
func databaseURL(role, password, database, socket string) string {
	query := url.Values{"host": {socket}, "port": {strconv.Itoa(pgserver.Port)}, "sslmode": {"disable"}}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(role, password), Path: "/" + database, RawQuery: query.Encode()}
	return u.String()
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
