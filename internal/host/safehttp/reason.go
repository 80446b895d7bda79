package safehttp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/url"
	"syscall"

	"xbot/internal/fault"
)

// Nowhere is the reason of a failed request whose host Hidden reports.
const Nowhere = "its host is nowhere on the public internet"

// Hidden reports whether a request failed because its host is inside, or has a name that leads nowhere. Outsiders get the same message for both, so
// that they learn no names and addresses of the server's own network.
func Hidden(err error) bool {
	_, lookup := errors.AsType[*net.DNSError](err)
	_, network := errors.AsType[*net.OpError](err)
	_, refused := errors.AsType[*fault.Error](err)
	return lookup || network && refused
}

// Reason explains why a request failed, for a model or a user: without the address, which may hold a secret, and without anything that the other
// side wrote, as errors of net/http quote it. At most one sentence.
func Reason(err error) string {
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		return refused.Error()
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		if wrapped.Timeout() {
			return "it did not answer in time"
		}
		err = wrapped.Err
	}
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		if lookup.IsNotFound {
			return "there is no such host"
		}
		return "the name of its host cannot be resolved"
	}
	if operation, ok := errors.AsType[*net.OpError](err); ok && operation.Op != "remote error" {
		return reasonOf(operation)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "its certificate is not valid"
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "it did not answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection ended before it had answered"
	}
	return "what answers there is no web server, or broken"
}

// reasonOf describes a failed network operation without its resolved addresses.
func reasonOf(operation *net.OpError) string {
	if operation.Timeout() {
		return "it did not answer in time"
	}
	if number, ok := errors.AsType[syscall.Errno](operation); ok {
		return number.Error()
	}
	return "the connection failed"
}
