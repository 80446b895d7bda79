package feishutest

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// delivery is an event on its way to the bot.
type delivery struct {
	id, kind string
	message  string // whose event it is, for Again and Acked
	event    any
	raw      []byte // instead of event: sent as it is, and never again
	done     bool   // it was acknowledged, or need not be
	due      time.Time
	tries    int
	result   chan []byte // receives the response to a card's answer; nil: none waits
}

// send begins a delivery; the caller holds the lock.
func (s *Server) send(d *delivery) {
	d.id = s.id("evt")
	d.due = time.Now()
	s.events = append(s.events, d)
	s.ring()
}

// ring wakes deliverDue; the caller holds the lock.
func (s *Server) ring() {
	close(s.wake)
	s.wake = make(chan struct{})
}

// Again delivers the event of a message once more.
func (s *Server) Again(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.events {
		if d.message == message {
			d.done, d.due = false, time.Now()
		}
	}
	s.ring()
}

// Acked reports whether the event of a message was taken.
func (s *Server) Acked(message string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.events, func(d *delivery) bool { return d.message == message })
	return i >= 0 && s.events[i].done
}

// Hold keeps events back from now on.
func (s *Server) Hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = true
}

// Release delivers held events, newest first if reverse.
func (s *Server) Release(reverse bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = false
	if reverse {
		slices.Reverse(s.events)
	}
	s.ring()
}

// Deliver sends an event of any kind.
func (s *Server) Deliver(kind string, event any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.send(&delivery{kind: kind, event: event})
}

// Raw sends a payload that may be anything, once.
func (s *Server) Raw(payload []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.send(&delivery{raw: payload})
}

// Frames sends raw messages on every connection.
func (s *Server) Frames(raw ...[]byte) {
	s.mu.Lock()
	conns := slices.Clone(s.conns)
	s.mu.Unlock()
	for _, c := range conns {
		for _, one := range raw {
			_ = c.write(one) // a connection that broke is seen by its reader
		}
	}
}

// Hook delivers by HTTP to an address from now on; empty: by the long connection.
func (s *Server) Hook(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hook = address
	s.ring()
}

// deliverDue delivers due events until the server ends.
func (s *Server) deliverDue() {
	for {
		s.mu.Lock()
		wake, wait := s.wake, time.Hour
		if !s.held {
			for _, d := range s.events {
				if !d.done {
					wait = min(wait, s.carry(d))
				}
			}
		}
		s.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-s.ctx.Done():
			timer.Stop()
			return
		case <-wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// carry delivers an event if it is due, and returns when it will be; the caller holds the lock.
func (s *Server) carry(d *delivery) time.Duration {
	if left := time.Until(d.due); left > 0 {
		return left
	}
	body := s.body(d)
	switch {
	case s.hook != "":
		hook := s.hook
		s.running.Go(func() { s.post(hook, d, body) })
	case len(s.conns) > 0:
		s.conns[s.count%len(s.conns)].deliver(d, body)
	default:
		return time.Hour // a connection rings
	}
	d.tries++
	d.due = time.Now().Add(s.c.Again)
	if d.raw != nil {
		d.done = true
	}
	return s.c.Again
}

func (s *Server) body(d *delivery) []byte {
	if d.raw != nil {
		return d.raw
	}
	return []byte(text(map[string]any{
		"schema": "2.0",
		"header": map[string]string{
			"event_id": d.id, "event_type": d.kind, "app_id": s.AppID, "tenant_key": "t1", "create_time": millis(time.Now()), "token": Token,
		},
		"event": d.event,
	}))
}

// taken records an acknowledgement. After a failed one the event comes again soon.
func (s *Server) taken(d *delivery, ok bool, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !ok {
		d.due = time.Now().Add(s.c.Again / 20)
		s.ring()
		return
	}
	d.done = true
	if d.result != nil {
		select {
		case d.result <- data:
		default: // it was answered before
		}
	}
}

// post delivers by HTTP.
func (s *Server) post(hook string, d *delivery, body []byte) {
	req, err := s.Signed(hook, body, time.Now())
	if err != nil {
		return
	}
	res, err := s.client.Do(req.WithContext(s.ctx))
	if err != nil {
		return
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if d.raw == nil {
		s.taken(d, err == nil && res.StatusCode == http.StatusOK, raw)
	}
}

// Signed returns a delivery by HTTP as the platform makes it.
func (s *Server) Signed(hook string, body []byte, at time.Time) (*http.Request, error) {
	if s.c.EncryptKey != "" {
		body = []byte(text(map[string]string{"encrypt": Encrypt(body, s.c.EncryptKey)}))
	}
	req, err := http.NewRequest(http.MethodPost, hook, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if s.c.EncryptKey != "" {
		stamp := strconv.FormatInt(at.Unix(), 10)
		req.Header.Set("X-Lark-Request-Timestamp", stamp)
		req.Header.Set("X-Lark-Request-Nonce", "nonce")
		req.Header.Set("X-Lark-Signature", Signature(stamp, "nonce", s.c.EncryptKey, body))
	}
	return req, nil
}

// Signature returns the signature that the platform adds to a delivery.
func Signature(at, nonce, encryptKey string, raw []byte) string {
	sum := sha256.Sum256(append([]byte(at+nonce+encryptKey), raw...))
	return hex.EncodeToString(sum[:])
}

// Encrypt seals a body as the platform does.
func Encrypt(body []byte, key string) string {
	sum := sha256.Sum256([]byte(key))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		panic(err) // the key has the right length
	}
	pad := aes.BlockSize - len(body)%aes.BlockSize
	body = append(bytes.Clone(body), bytes.Repeat([]byte{byte(pad)}, pad)...)
	out := make([]byte, aes.BlockSize+len(body))
	_, _ = rand.Read(out[:aes.BlockSize]) // it never fails
	cipher.NewCBCEncrypter(block, out[:aes.BlockSize]).CryptBlocks(out[aes.BlockSize:], body)
	return base64.StdEncoding.EncodeToString(out)
}

// ack is the client's response to an event.
type ack struct {
	Code    int             `json:"code"`
	Headers json.RawMessage `json:"headers"`
	Data    []byte          `json:"data"`
}
