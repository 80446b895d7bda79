package localstack

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

// The files in temporal/tls, by the names that xbot-temporal reads.
const (
	caFile        = "ca.pem"
	serverFile    = "server.pem"
	serverKeyFile = "server-key.pem"
	clientFile    = "client.pem"
	clientKeyFile = "client-key.pem"
)

const (
	certificateLife  = 10 * 365 * 24 * time.Hour
	certificateRenew = 365 * 24 * time.Hour // remaining life at which they are made again
)

// keepCertificates makes the authority and the two certificates at the first start, and again in their last year or
// when a file is missing or damaged. The authority's key is not kept: nothing else is ever signed with it, and the
// set is always made as a whole. made reports that running servers and clients hold old ones.
func (h home) keepCertificates(now time.Time) (made bool, err error) {
	if h.certificatesUsable(now) {
		return false, nil
	}
	authority, authorityKey, err := issue(&x509.Certificate{
		Subject:               pkix.Name{CommonName: "xbot local authority"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		MaxPathLenZero:        true,
		KeyUsage:              x509.KeyUsageCertSign,
	}, now, nil, nil)
	if err != nil {
		return false, err
	}
	server, serverKey, err := issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: serverName},
		DNSNames:    []string{serverName, "localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, now, authority, authorityKey)
	if err != nil {
		return false, err
	}
	client, clientKey, err := issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "xbot"},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, now, authority, authorityKey)
	if err != nil {
		return false, err
	}
	return true, h.writeCertificates(map[string]pemSource{
		caFile: {authority, nil}, serverFile: {server, nil}, clientFile: {client, nil},
		serverKeyFile: {nil, serverKey}, clientKeyFile: {nil, clientKey},
	})
}

// issue makes a P-256 key and a certificate for it, signed by the authority or, without one, self-signed.
func issue(template *x509.Certificate, now time.Time, authority *x509.Certificate, authorityKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, nil, fmt.Errorf("make a serial number: %w", err)
	}
	template.SerialNumber = serial
	template.NotBefore = now.Add(-time.Hour) // clocks that are set back a little
	template.NotAfter = now.Add(certificateLife)
	if authority == nil {
		authority, authorityKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, authority, key.Public(), authorityKey)
	if err != nil {
		return nil, nil, fmt.Errorf("sign the certificate of %s: %w", template.Subject.CommonName, err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, fmt.Errorf("read the certificate of %s back: %w", template.Subject.CommonName, err)
	}
	return certificate, key, nil
}

// pemSource is a certificate or a key.
type pemSource struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func (h home) writeCertificates(files map[string]pemSource) error {
	for name, source := range files {
		block := &pem.Block{Type: "CERTIFICATE"}
		if source.key != nil {
			der, err := x509.MarshalPKCS8PrivateKey(source.key)
			if err != nil {
				return fmt.Errorf("encode %s: %w", name, err)
			}
			block.Type, block.Bytes = "PRIVATE KEY", der
		} else {
			block.Bytes = source.certificate.Raw
		}
		if err := writePrivate(h.tls(name), pem.EncodeToMemory(block)); err != nil {
			return fmt.Errorf("write %s: %w", h.tls(name), err)
		}
	}
	return nil
}

// certificatesUsable reports whether the files belong together and last for another year.
func (h home) certificatesUsable(now time.Time) bool {
	roots, err := readPool(h.tls(caFile))
	if err != nil {
		return false
	}
	for _, pair := range []struct {
		cert, key string
		usage     x509.ExtKeyUsage
	}{
		{serverFile, serverKeyFile, x509.ExtKeyUsageServerAuth},
		{clientFile, clientKeyFile, x509.ExtKeyUsageClientAuth},
	} {
		loaded, err := tls.LoadX509KeyPair(h.tls(pair.cert), h.tls(pair.key))
		if err != nil {
			return false
		}
		_, err = loaded.Leaf.Verify(x509.VerifyOptions{
			Roots: roots, CurrentTime: now.Add(certificateRenew), KeyUsages: []x509.ExtKeyUsage{pair.usage},
		})
		if err != nil {
			return false
		}
	}
	return true
}

func readPool(path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate", path)
	}
	return pool, nil
}
