package qq

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"xbot/internal/channel"
	"xbot/internal/fault"
	"xbot/internal/host/jsonlimit"
)

// maxHook bounds the body of a webhook, in bytes.
const maxHook = 4 << 20

// hookForm matches the text that the platform asks to be signed when an address is entered. Nothing else is signed: the
// same signature makes an event genuine, and an event is JSON, with braces.
var hookForm = regexp.MustCompile(`^[A-Za-z0-9_=-]{1,256}$`)

// Webhook takes events by HTTP. It answers after the receiver has committed, and with 503 if it did not, which brings the
// event again. Signatures have no age: a replayed event changes nothing.
func (a *Account) Webhook(to channel.Receiver, report channel.Reporter) http.Handler {
	if report == nil {
		report = channel.Unreported{}
	}
	return &webhook{Account: a, key: signingKey(a.set.secret), to: to, report: report}
}

type webhook struct {
	*Account

	key    ed25519.PrivateKey
	to     channel.Receiver
	report channel.Reporter
}

// signingKey derives the key that both sides have from the secret, which is repeated until it is long enough for a seed.
func signingKey(secret string) ed25519.PrivateKey {
	seed := strings.Repeat(secret, ed25519.SeedSize/max(len(secret), 1)+1)
	if len(seed) < ed25519.SeedSize {
		seed = strings.Repeat("0", ed25519.SeedSize) // no secret: open refuses that
	}
	return ed25519.NewKeyFromSeed([]byte(seed[:ed25519.SeedSize]))
}

// ServeHTTP answers one call of the platform.
func (h *webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "QQ posts its events here", http.StatusMethodNotAllowed)
		return
	}
	if app := r.Header.Get("X-Bot-Appid"); app != "" && app != h.set.appID {
		http.Error(w, "this is the address of another bot", http.StatusForbidden)
		return
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxHook))
	if err != nil {
		http.Error(w, "the body could not be read", http.StatusBadRequest)
		return
	}
	if !h.genuine(r.Header, raw) {
		http.Error(w, "the signature is wrong", http.StatusUnauthorized)
		return
	}
	var f frame
	if jsonlimit.Default.Unmarshal(raw, &f) != nil {
		http.Error(w, "the body is not JSON", http.StatusBadRequest)
		return
	}
	switch f.Op {
	case opValidation:
		h.validate(w, f.Data)
	case opDispatch:
		h.take(w, r, f)
	default:
		reply(w, frame{Op: opHTTPAck})
	}
}

// genuine verifies the platform's signature of time and body.
func (h *webhook) genuine(header http.Header, body []byte) bool {
	signature, err := hex.DecodeString(header.Get("X-Signature-Ed25519"))
	if err != nil || len(signature) != ed25519.SignatureSize {
		return false
	}
	public, ok := h.key.Public().(ed25519.PublicKey)
	at := header.Get("X-Signature-Timestamp")
	return ok && at != "" && ed25519.Verify(public, append([]byte(at), body...), signature)
}

// validate proves that the address belongs to the holder of the secret.
func (h *webhook) validate(w http.ResponseWriter, raw json.RawMessage) {
	var ask struct {
		Token string `json:"plain_token"`
		At    string `json:"event_ts"`
	}
	if json.Unmarshal(raw, &ask) != nil || !hookForm.MatchString(ask.Token) || !hookForm.MatchString(ask.At) {
		http.Error(w, "this is no validation of QQ", http.StatusBadRequest)
		return
	}
	signature := ed25519.Sign(h.key, []byte(ask.At+ask.Token))
	reply(w, map[string]string{"plain_token": ask.Token, "signature": hex.EncodeToString(signature)})
}

func (h *webhook) take(w http.ResponseWriter, r *http.Request, f frame) {
	at, err := h.dispatch(r.Context(), h.to, f)
	switch {
	case err != nil && !channel.Refused(err):
		h.report.Report(channel.Status{Connected: true, Event: time.Now(), Err: err})
		http.Error(w, "not taken, send it again", http.StatusServiceUnavailable)
		return
	case err != nil:
		h.report.Report(channel.Status{Connected: true, Event: time.Now(), Err: fault.Errorf(fault.Invalid, "an event was passed over: %w", err)})
	case !at.IsZero():
		h.report.Report(channel.Status{Connected: true, Event: time.Now(), Lag: max(0, time.Since(at))})
	}
	reply(w, map[string]int{"op": opHTTPAck, "d": 0})
}

func reply(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // a disconnected caller asks again
}
