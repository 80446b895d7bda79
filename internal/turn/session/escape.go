package session

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Marks in a part of a key: no escaped part begins with them otherwise.
const (
	emptyPart = "~"
	hashMark  = "~"
)

// hashedLen is the length of a hashed part: the mark and 160 bits of SHA-256.
const hashedLen = 1 + 32

// hash replaces a part by its hash, if that is shorter.
func (k Key) hash(part parts) Key {
	field := k.field(part)
	if k.hashed&part != 0 || len(escape(*field)) <= hashedLen {
		return k
	}
	sum := sha256.Sum256([]byte(*field))
	*field = hashMark + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:20]))
	k.hashed |= part
	return k
}

func (k *Key) field(part parts) *string {
	switch part {
	case partID:
		return &k.ID
	case partThread:
		return &k.Thread
	case partAccount:
		return &k.Account
	case partChannel:
		return &k.Channel
	}
	return &k.Agent
}

// part encodes a part for the key.
func (k Key) part(part parts, value string) string {
	if k.hashed&part != 0 {
		return value
	}
	return escape(value)
}

// with decodes a part of the key.
func (k Key) with(part parts, text string) (Key, bool) {
	if isHash(text) {
		*k.field(part) = text
		k.hashed |= part
		return k, true
	}
	value, ok := unescape(text)
	*k.field(part) = value
	return k, ok
}

func isHash(text string) bool {
	if len(text) != hashedLen || !strings.HasPrefix(text, hashMark) {
		return false
	}
	return strings.Trim(text[1:], "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// escape encodes a part so that it holds no colon, space, control character or byte that is not UTF-8.
func escape(value string) string {
	if value == "" {
		return emptyPart
	}
	var b strings.Builder
	for i := 0; i < len(value); {
		r, width := utf8.DecodeRuneInString(value[i:])
		at := i
		i += width
		plain := r != ':' && r != '%' && (r != utf8.RuneError || width > 1) && !unicode.IsControl(r) && !unicode.IsSpace(r)
		if plain && (at > 0 || r != '~') {
			b.WriteString(value[at:i])
			continue
		}
		for _, c := range []byte(value[at:i]) {
			b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
		}
	}
	return b.String()
}

// unescape decodes the result of escape.
func unescape(text string) (string, bool) {
	if text == "" || text == emptyPart {
		return "", text == emptyPart
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		if i+2 >= len(text) {
			return "", false
		}
		c, err := hex.DecodeString(text[i+1 : i+3])
		if err != nil {
			return "", false
		}
		b.Write(c)
		i += 2
	}
	return b.String(), true
}

// reserved encodes a channel or an account with the name of a word of the grammar, so that it cannot be mistaken for one.
func reserved(part string) string {
	if !isPlace(part) && part != string(KindSubagent) {
		return part
	}
	return "%" + strings.ToUpper(hex.EncodeToString([]byte{part[0]})) + part[1:]
}
