package qqtest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// key signs what the platform posts.
func (s *Server) key() ed25519.PrivateKey {
	seed := s.config.Secret
	for len(seed) < ed25519.SeedSize {
		seed += seed
	}
	return ed25519.NewKeyFromSeed([]byte(seed[:ed25519.SeedSize]))
}

// Post posts a body to a webhook as the platform does and returns what it answers.
func (s *Server) Post(address string, body []byte) (int, []byte, error) {
	at := fmt.Sprint(time.Now().Unix())
	signature := ed25519.Sign(s.key(), append([]byte(at), body...))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "QQBot-Callback")
	req.Header.Set("X-Bot-Appid", s.config.AppID)
	req.Header.Set("X-Signature-Timestamp", at)
	req.Header.Set("X-Signature-Ed25519", hex.EncodeToString(signature))
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	return res.StatusCode, raw, err
}

// Hook sends events to a webhook, after it has proved that it knows the secret. Empty: no more.
func (s *Server) Hook(address string) error {
	if address != "" {
		body := `{"op":13,"d":{"plain_token":"Arq0D5A61EgUu4OxUvOp","event_ts":"1725442341"}}`
		status, raw, err := s.Post(address, []byte(body))
		if err != nil {
			return err
		}
		var got struct {
			Token     string `json:"plain_token"`
			Signature string `json:"signature"`
		}
		want := hex.EncodeToString(ed25519.Sign(s.key(), []byte("1725442341"+"Arq0D5A61EgUu4OxUvOp")))
		if status != http.StatusOK || json.Unmarshal(raw, &got) != nil || got.Token != "Arq0D5A61EgUu4OxUvOp" || got.Signature != want {
			return errors.New("the webhook did not prove itself: " + strings.TrimSpace(string(raw)))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hook = address
	return nil
}

// call posts an event until it is acknowledged, ten times at most; mu is held.
func (s *Server) call(e event) {
	body, err := json.Marshal(frame{Op: 0, ID: e.id, Type: e.kind, Data: e.data})
	if err != nil || s.closed {
		return
	}
	to := s.hook
	s.wg.Go(func() {
		for try := range 10 {
			status, raw, err := s.Post(to, body)
			var got struct {
				Op int `json:"op"`
			}
			if err == nil && status == http.StatusOK && json.Unmarshal(raw, &got) == nil && got.Op == 12 {
				s.mu.Lock()
				s.acked[e.about] = true
				s.mu.Unlock()
				return
			}
			<-time.After(time.Duration(try+1) * 20 * time.Millisecond)
			s.mu.Lock()
			over := s.closed
			s.mu.Unlock()
			if over {
				return
			}
		}
	})
}

// Acked reports whether a webhook has acknowledged the event of a message.
func (s *Server) Acked(message string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.acked[message]
}
