package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	"go.temporal.io/server/common/rpc/encryption"
)

// serverName is the name in the server certificate. It is no host: clients are configured to expect it.
const serverName = "xbot-temporal"

// certificates are the files of --tls-dir, loaded. The zero value means plain connections.
type certificates struct {
	dir            string
	roots          *x509.CertPool
	server, client tls.Certificate
}

// loadCertificates reads the folder's five PEM files; an empty dir gives the zero value.
func loadCertificates(dir string) (certificates, error) {
	if dir == "" {
		return certificates{}, nil
	}
	c := certificates{dir: dir, roots: x509.NewCertPool()}
	authority, err := os.ReadFile(c.file("ca.pem"))
	if err == nil && !c.roots.AppendCertsFromPEM(authority) {
		err = errors.New("ca.pem holds no certificate")
	}
	if err == nil {
		c.server, err = tls.LoadX509KeyPair(c.file("server.pem"), c.file("server-key.pem"))
	}
	if err == nil {
		c.client, err = tls.LoadX509KeyPair(c.file("client.pem"), c.file("client-key.pem"))
	}
	if err != nil {
		return certificates{}, fmt.Errorf("load the certificates of --tls-dir %s: %w", dir, err)
	}
	return c, nil
}

func (c certificates) file(name string) string { return filepath.Join(c.dir, name) }

func (c certificates) enabled() bool { return c.dir != "" }

// provider makes every gRPC connection, inside the process and from outside, mutual TLS under the one authority.
func (c certificates) provider() encryption.TLSConfigProvider {
	if !c.enabled() {
		return &encryption.FixedTLSConfigProvider{}
	}
	server := &tls.Config{
		MinVersion:   tls.VersionTLS13,
		NextProtos:   []string{"h2"},
		Certificates: []tls.Certificate{c.server},
		ClientCAs:    c.roots,
		ClientAuth:   tls.RequireAndVerifyClientCert,
	}
	client := &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{c.client},
		RootCAs:      c.roots,
		ServerName:   serverName,
	}
	return &encryption.FixedTLSConfigProvider{
		InternodeServerConfig: server,
		InternodeClientConfig: client,
		FrontendServerConfig:  server.Clone(),
		FrontendClientConfig:  client.Clone(),
	}
}

// forUI returns the same for the UI, which loads the files itself.
func (c certificates) forUI() uiconfig.TLS {
	if !c.enabled() {
		return uiconfig.TLS{}
	}
	return uiconfig.TLS{
		CaFile:                 c.file("ca.pem"),
		CertFile:               c.file("client.pem"),
		KeyFile:                c.file("client-key.pem"),
		EnableHostVerification: true,
		ServerName:             serverName,
	}
}
