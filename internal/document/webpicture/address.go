package webpicture

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"

	"xbot/internal/fault"
)

// maxAddress bounds an address, in bytes: RFC 9110 §4.1 recommends to support as many.
const maxAddress = 8000

const notAnAddress = "it is not written as an address of the web is, such as https://example.com/cat.png"

// Check refuses an invalid address of a picture, before anything is fetched.
func Check(address string) error {
	if len(address) > maxAddress {
		return fault.Errorf(fault.Invalid, "the address of a picture has %d bytes; at most %d are accepted. Send the bytes of the picture as %s", len(address), maxAddress, inItself)
	}
	at, err := url.Parse(address)
	switch {
	case err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "":
		return fault.Errorf(fault.Invalid, "a picture is %s, or an address such as https://example.com/cat.png", inItself)
	case at.User != nil:
		return refused(address, "its address has a user or a password, which are not sent")
	}
	return nil
}

// inItself is a picture inside the message.
const inItself = "data:image/png;base64,…"

// refused is the error of a picture. Of its address it has the host alone.
func refused(address, why string) error {
	host := ""
	if at, err := url.Parse(address); err == nil {
		host = at.Hostname()
	}
	return fault.Errorf(fault.Invalid, "the picture at %.100q is not taken: %s. Check its address, or send its bytes as %s", host, why, inItself)
}

// named begins the names of pictures.
const named = "picture-"

// Name returns the name of a picture of an address in a conversation. Another address has another name, and none reveals the address.
func Name(address string) string {
	sum := sha256.Sum256([]byte("address of a picture " + address))
	return named + hex.EncodeToString(sum[:8])
}

// IsName reports whether a picture is called as those of addresses are.
func IsName(name string) bool {
	rest, is := strings.CutPrefix(name, named)
	return is && len(rest) == 16
}
