package feishu

import (
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"

	larkevent "github.com/larksuite/oapi-sdk-go/v3/event"

	"xbot/internal/channel"
	"xbot/internal/fault"
	"xbot/internal/host/jsonlimit"
)

const (
	// maxHook bounds the body of a webhook, in bytes.
	maxHook = 8 << 20
	// fresh is how far the time of a signed delivery may be from ours: Feishu delivers again for hours, each time newly signed.
	fresh = 10 * time.Minute
)

// forged is the response to a request that is not proven to be the platform's.
const forged = "the encryption or the signature is wrong, or the signature is old: compare encrypt_key with the app's"

// Webhook takes events by HTTP. It answers after the receiver has committed, and with 500 if it did not, which brings the
// event again.
func (a *Account) Webhook(to channel.Receiver, report channel.Reporter) http.Handler {
	if report == nil {
		report = channel.Unreported{}
	}
	return &webhook{Account: a, to: to, report: report}
}

var errSealed = fault.Errorf(fault.Invalid, "the body cannot be decrypted with this account's encrypt_key")

type webhook struct {
	*Account

	to     channel.Receiver
	report channel.Reporter
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
	if err != nil || jsonlimit.Default.Unmarshal(body, &challenge) != nil { // the same response as for a wrong signature, so that it is no padding oracle
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
	answer, err := h.handOver(inbound(r.Context(), h.to, h.report), body)
	if err != nil {
		http.Error(w, "not taken, send it again", http.StatusInternalServerError)
		return
	}
	if answer == nil {
		answer = struct{}{}
	}
	reply(w, answer)
}

// same compares secrets without revealing how far they agree. An empty one agrees with nothing.
func same(given, want string) bool {
	return want != "" && subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1
}

// signed verifies the platform's signature of time, nonce and body.
func (h *webhook) signed(header http.Header, raw []byte, now time.Time) bool {
	at, nonce := header.Get(larkevent.EventRequestTimestamp), header.Get(larkevent.EventRequestNonce)
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return false
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > fresh || age < -fresh {
		return false
	}
	return same(header.Get(larkevent.EventSignature), larkevent.Signature(at, nonce, h.set.encryptKey, string(raw)))
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

// decrypt opens a body. The library looks for braces in the plain text of any sender: it can find them the wrong way round,
// and panic.
func decrypt(sealed, key string) (plain []byte, err error) {
	defer func() {
		if recover() != nil {
			plain, err = nil, errSealed
		}
	}()
	if plain, err = larkevent.EventDecrypt(sealed, key); err != nil {
		return nil, errSealed
	}
	return plain, nil
}

func reply(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(body) // a disconnected caller asks again
}
