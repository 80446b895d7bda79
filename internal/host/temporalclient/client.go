// Package temporalclient opens the connection to Temporal, the same way in every process: from Temporal's own
// variables and profiles as the temporal CLI reads them, or with the certificates of the local stack.
package temporalclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"

	"xbot/internal/fault"
)

// Config configures the connection to Temporal. Without certificate files, TEMPORAL_TLS_*, TEMPORAL_API_KEY and profiles apply.
type Config struct {
	Address, Namespace        string
	CAFile, CertFile, KeyFile string
	ServerName                string
	Metrics                   client.MetricsHandler
	Interceptors              []interceptor.ClientInterceptor
	Log                       *slog.Logger
	Identity                  string // of this process, for operators; empty: process id and host
	Codec                     *Codec // nil: everyone who can read Temporal can read the content of histories
}

// New returns a client that connects when it is first used, so that a process starts, and accepts messages, while
// Temporal is away.
func New(cfg Config) (client.Client, error) {
	options, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the TEMPORAL_ settings cannot be used: %w", err)
	}
	if cfg.Address != "" {
		options.HostPort = cfg.Address
	}
	if cfg.Namespace != "" {
		options.Namespace = cfg.Namespace
	}
	options.ConnectionOptions.DialOptions = append(options.ConnectionOptions.DialOptions, reconnecting()...)
	options.ConnectionOptions.GrpcCompression = &client.GrpcCompressionNone{} // requests are small: to compress them costs more than to send them
	options.MetricsHandler = cfg.Metrics
	options.Interceptors = append(options.Interceptors, cfg.Interceptors...)
	options.Logger = log.NewStructuredLogger(cfg.Log)
	if cfg.Identity != "" {
		options.Identity = cfg.Identity
	}
	if cfg.Codec != nil {
		cfg.Codec.use(&options)
	}
	if cfg.CertFile != "" {
		if options.ConnectionOptions.TLS, err = mutualTLS(cfg); err != nil {
			return nil, err
		}
	}
	c, err := client.NewLazyClient(options)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the Temporal client cannot be made: %w", err)
	}
	return c, nil
}

func mutualTLS(cfg Config) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(cfg.CertFile, cfg.KeyFile)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the Temporal client certificate cannot be read: %w", err)
	}
	ca, err := os.ReadFile(cfg.CAFile)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the Temporal certificate authority cannot be read: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, fault.Errorf(fault.Invalid, "%s holds no certificate", cfg.CAFile)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: pool, ServerName: cfg.ServerName, MinVersion: tls.VersionTLS13}, nil
}

// HasAttributes reports whether the namespace knows all the keyword search attributes, after trying to register those
// that are missing where that is allowed.
func HasAttributes(ctx context.Context, c client.Client, namespace string, names []string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	have, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return false, fmt.Errorf("list search attributes: %w", err)
	}
	missing := map[string]enums.IndexedValueType{}
	for _, name := range names {
		if have.GetCustomAttributes()[name] != enums.INDEXED_VALUE_TYPE_KEYWORD {
			missing[name] = enums.INDEXED_VALUE_TYPE_KEYWORD
		}
	}
	if len(missing) == 0 {
		return true, nil
	}
	_, err = c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{Namespace: namespace, SearchAttributes: missing})
	return false, err // visible to other nodes only after a while: the next start uses them
}
