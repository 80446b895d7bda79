package feishu

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

const (
	// maxHook bounds the body of a webhook, in bytes.
	maxHook = 8 << 20
	// fresh is how far the time of a signed delivery may be from ours: Feishu delivers again for hours, each time newly signed.
	fresh = 10 * time.Minute
)

// forged is said to whoever does not prove to be the platform.
const forged = "the encryption or the signature is wrong, or the signature is old: compare encrypt_key with the app's"

// Webhook takes events by HTTP. It answers after the receiver has committed, and with 500 when it did not, which brings the
// event again.
func (a *Account) Webhook(to channel.Receiver, report func(channel.Status)) http.Handler {
	if report == nil {
		report = func(channel.Status) {}
	}
	return &webhook{Account: a, to: to, report: report}
}

type webhook struct {
	*Account

	to     channel.Receiver
	report func(channel.Status)
}

// ServeHTTP answers one call of the platform.
func (h *webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Feishu posts its events here", http.StatusMethodNotAllowed)
		return
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxHook))
	if err != nil {
		http.Error(w, "the body could not be read", http.StatusBadRequest)
		return
	}
	body, err := h.open(raw)
	var challenge struct {
		Type      string `json:"type"`
		Challenge string `json:"challenge"`
		Token     string `json:"token"`
		Header    struct {
			Token string `json:"token"`
			AppID string `json:"app_id"`
		} `json:"header"`
	}
	if err != nil || json.Unmarshal(body, &challenge) != nil { // as to a wrong signature: whoever guesses at the padding learns nothing
		http.Error(w, forged, http.StatusUnauthorized)
		return
	}
	if challenge.Type == "url_verification" {
		if !same(challenge.Token, h.set.token) {
			http.Error(w, "the verification token is wrong", http.StatusForbidden)
			return
		}
		reply(w, map[string]string{"challenge": challenge.Challenge})
		return
	}
	if h.set.encryptKey != "" && !h.signed(r.Header, raw, time.Now()) {
		http.Error(w, forged, http.StatusUnauthorized)
		return
	}
	if !same(challenge.Header.Token, h.set.token) || challenge.Header.AppID != h.set.appID {
		http.Error(w, "the verification token or the app is wrong", http.StatusForbidden)
		return
	}
	answer, err := h.take(r.Context(), body, h.to, h.report)
	if err != nil {
		http.Error(w, "not taken, send it again", http.StatusInternalServerError)
		return
	}
	if answer == nil {
		answer = struct{}{}
	}
	reply(w, answer)
}

// same compares secrets without telling how far they agree. An empty one agrees with nothing.
func same(given, want string) bool {
	return want != "" && subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1
}

// signed verifies the platform's signature of time, nonce and body.
func (h *webhook) signed(header http.Header, raw []byte, now time.Time) bool {
	at, nonce := header.Get("X-Lark-Request-Timestamp"), header.Get("X-Lark-Request-Nonce")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return false
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > fresh || age < -fresh {
		return false
	}
	return same(header.Get("X-Lark-Signature"), Signature(at, nonce, h.set.encryptKey, raw))
}

// Signature is what the platform puts beside a delivery.
func Signature(at, nonce, encryptKey string, raw []byte) string {
	sum := sha256.Sum256(append([]byte(at+nonce+encryptKey), raw...))
	return hex.EncodeToString(sum[:])
}

// open decrypts a body. With a key everything must be encrypted, without one nothing can be.
func (h *webhook) open(raw []byte) ([]byte, error) {
	var sealed struct {
		Encrypt string `json:"encrypt"`
	}
	if err := json.Unmarshal(raw, &sealed); err != nil {
		return nil, fault.Errorf(fault.Invalid, "the body is not JSON")
	}
	switch {
	case h.set.encryptKey == "" && sealed.Encrypt != "":
		return nil, fault.Errorf(fault.Invalid, "the body is encrypted, and this account has no encrypt_key")
	case h.set.encryptKey == "":
		return raw, nil
	case sealed.Encrypt == "":
		return nil, fault.Errorf(fault.Invalid, "the body is not encrypted, and this account has an encrypt_key")
	}
	return decrypt(sealed.Encrypt, h.set.encryptKey)
}

// decrypt opens what is encrypted with AES-256 in CBC mode, its initialisation vector first.
func decrypt(sealed, key string) ([]byte, error) {
	wrong := fault.Errorf(fault.Invalid, "the body cannot be decrypted with this account's encrypt_key")
	raw, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil || len(raw) < 2*aes.BlockSize || len(raw)%aes.BlockSize != 0 {
		return nil, wrong
	}
	sum := sha256.Sum256([]byte(key))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		return nil, err
	}
	plain := make([]byte, len(raw)-aes.BlockSize)
	cipher.NewCBCDecrypter(block, raw[:aes.BlockSize]).CryptBlocks(plain, raw[aes.BlockSize:])
	pad := int(plain[len(plain)-1])
	if pad < 1 || pad > aes.BlockSize {
		return nil, wrong
	}
	return plain[:len(plain)-pad], nil
}

func reply(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(body) // who hung up asks again
}
