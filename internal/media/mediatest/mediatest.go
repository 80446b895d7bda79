// Package mediatest emulates the providers of pictures, speech and video. The requests and answers are those of the public documentation that the
// packages of the providers name.
package mediatest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Key is the key that the emulator accepts.
const Key = "sk-of-the-media-provider-7171"

// PNG returns a picture; different numbers make different ones.
func PNG(n uint8) []byte {
	img := image.NewRGBA(image.Rect(0, 0, 2, 2))
	img.Set(0, 0, color.RGBA{n, 0, 0, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

// MP3 is the beginning of a recording.
func MP3() []byte {
	return append([]byte("ID3\x04\x00\x00\x00\x00\x00\x00"), bytes.Repeat([]byte{0xff, 0xfb, 0x90, 0}, 64)...)
}

// MP4 is a video of some bytes.
func MP4(size int) []byte {
	return append([]byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"), bytes.Repeat([]byte{7}, size)...)
}

// Request is a request that the emulator got.
type Request struct {
	Method string
	Path   string
	Query  string
	Header http.Header
	Body   []byte
}

// JSON decodes the body.
func (r Request) JSON() (out map[string]any) {
	_ = json.Unmarshal(r.Body, &out) // a form is no JSON
	return out
}

// Server emulates the providers at one address: their paths differ.
type Server struct {
	*httptest.Server

	mu       sync.Mutex
	requests []Request
	answers  map[string]http.HandlerFunc
	held     chan struct{}
	jobs     int
	deleted  []string
	video    []byte
	percent  int  // of the jobs
	done     bool // the jobs are
}

// New returns an emulator. Jobs run until Finish.
func New(t testing.TB) *Server {
	s := &Server{answers: map[string]http.HandlerFunc{}, video: MP4(9 << 20)}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() { s.Release(); s.Server.Close() })
	return s
}

// Answer replaces the answer to a method and path, such as "POST /v1/images/generations", from now on; nil: the usual one.
func (s *Server) Answer(path string, with http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[path] = with
}

// Hold lets paid requests wait until Release.
func (s *Server) Hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = make(chan struct{})
}

// Release answers the waiting requests.
func (s *Server) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil {
		close(s.held)
		s.held = nil
	}
}

// Advance sets how far jobs are.
func (s *Server) Advance(percent int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.percent = percent
}

// Finish ends the jobs.
func (s *Server) Finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
}

// Requests returns the requests to a path with a method, such as "POST /v1/videos"; empty: all.
func (s *Server) Requests(path string) (out []Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if path == "" || r.Method+" "+r.Path == path {
			out = append(out, r)
		}
	}
	return out
}

// Video is the content of each video.
func (s *Server) Video() []byte { return s.video }

// Deleted returns the jobs that were deleted or cancelled.
func (s *Server) Deleted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deleted
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // a body that breaks off is short
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Clone(), body})
	answer, held := s.answers[r.Method+" "+r.URL.Path], s.held
	s.mu.Unlock()
	if held != nil && r.Method == http.MethodPost {
		<-held
	}
	if answer != nil {
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer(w, r)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+Key && r.Header.Get("x-goog-api-key") != Key && r.Header.Get("xi-api-key") != Key && !strings.HasPrefix(r.URL.Path, "/files/") {
		Say(w, http.StatusUnauthorized, map[string]any{"error": map[string]string{"code": "invalid_api_key", "message": "Incorrect API key provided"}})
		return
	}
	s.usual(w, r, body)
}

// Say answers with JSON.
func Say(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that is gone gets nothing
}

func (s *Server) usual(w http.ResponseWriter, r *http.Request, body []byte) {
	p := r.URL.Path
	switch {
	case p == "/v1/models" || p == "/models":
		Say(w, http.StatusOK, map[string]any{"data": []any{}})
	case p == "/v1/images/generations", p == "/v1/images/edits":
		s.pictures(w, body)
	case p == "/v1/audio/speech":
		w.Header().Set("Content-Type", "audio/mpeg")
		_, _ = w.Write(MP3()) // as in Say
	case strings.HasPrefix(p, "/v1/videos"):
		s.openAIVideos(w, r)
	case strings.HasSuffix(p, ":generateContent"):
		Say(w, http.StatusOK, map[string]any{
			"candidates":    []any{map[string]any{"finishReason": "STOP", "content": map[string]any{"parts": []any{map[string]any{"text": "Here."}, map[string]any{"inlineData": map[string]string{"mimeType": "image/png", "data": base64.StdEncoding.EncodeToString(PNG(3))}}}}}},
			"usageMetadata": map[string]int{"promptTokenCount": 10, "candidatesTokenCount": 1120},
		})
	case strings.HasSuffix(p, ":predictLongRunning"):
		s.mu.Lock()
		s.jobs++
		s.mu.Unlock()
		Say(w, http.StatusOK, map[string]string{"name": "models/veo/operations/op1"})
	case p == "/models/veo/operations/op1":
		s.operation(w)
	case p == "/services/aigc/multimodal-generation/generation":
		Say(w, http.StatusOK, map[string]any{"output": map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": []any{map[string]string{"image": s.URL + "/files/qwen.png"}}}}}}, "usage": map[string]int{"image_count": 1}})
	case p == "/services/aigc/video-generation/video-synthesis":
		s.mu.Lock()
		s.jobs++
		s.mu.Unlock()
		Say(w, http.StatusOK, map[string]any{"output": map[string]string{"task_id": "task1", "task_status": "PENDING"}})
	case strings.HasPrefix(p, "/tasks/task1"):
		s.task(w, r)
	case strings.HasPrefix(p, "/text-to-speech/"):
		w.Header().Set("character-cost", "12")
		_, _ = w.Write(MP3()) // as in Say
	case p == "/voices":
		Say(w, http.StatusOK, map[string]any{"voices": []any{map[string]string{"voice_id": "EXAVITQu4vr4xnSDxMaL", "name": "Sarah - Mature"}}})
	case p == "/t2a_v2":
		Say(w, http.StatusOK, map[string]any{"data": map[string]any{"audio": hex.EncodeToString(MP3()), "status": 2}, "extra_info": map[string]int{"usage_characters": 5}, "base_resp": map[string]any{"status_code": 0, "status_msg": "success"}})
	case p == "/files/qwen.png":
		_, _ = w.Write(PNG(4)) // as in Say
	case p == "/files/video.mp4":
		_, _ = w.Write(s.video) // as in Say
	default:
		http.NotFound(w, r)
	}
}

// pictures answers with as many pictures as were asked for.
func (s *Server) pictures(w http.ResponseWriter, body []byte) {
	var asked struct {
		N int `json:"n"`
	}
	_ = json.Unmarshal(body, &asked) // an edit is a form
	var data []any
	for n := range max(asked.N, 1) {
		data = append(data, map[string]string{"b64_json": base64.StdEncoding.EncodeToString(PNG(uint8(n)))})
	}
	Say(w, http.StatusOK, map[string]any{"created": 1, "data": data, "usage": map[string]any{"input_tokens": 20, "output_tokens": 1000, "input_tokens_details": map[string]int{"text_tokens": 20}}})
}

func (s *Server) openAIVideos(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/v1/videos"), "/"), "/")
	switch {
	case r.Method == http.MethodPost:
		s.jobs++
		Say(w, http.StatusOK, map[string]any{"id": fmt.Sprint("video_", s.jobs), "object": "video", "status": "queued", "progress": 0})
	case r.Method == http.MethodDelete:
		s.deleted = append(s.deleted, id)
		Say(w, http.StatusOK, map[string]any{"id": id, "object": "video.deleted", "deleted": true})
	case rest == "content":
		w.Header().Set("Content-Type", "video/mp4")
		_, _ = w.Write(s.video) // as in Say
	case s.done:
		Say(w, http.StatusOK, map[string]any{"id": id, "object": "video", "status": "completed", "progress": 100, "seconds": "4"})
	default:
		Say(w, http.StatusOK, map[string]any{"id": id, "object": "video", "status": "in_progress", "progress": s.percent})
	}
}

func (s *Server) operation(w http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.done {
		Say(w, http.StatusOK, map[string]any{"name": "models/veo/operations/op1"})
		return
	}
	Say(w, http.StatusOK, map[string]any{"name": "models/veo/operations/op1", "done": true, "response": map[string]any{"generateVideoResponse": map[string]any{"generatedSamples": []any{map[string]any{"video": map[string]string{"uri": s.URL + "/files/video.mp4"}}}}}})
}

func (s *Server) task(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Method == http.MethodPost:
		s.deleted = append(s.deleted, "task1")
		Say(w, http.StatusOK, map[string]string{"request_id": "1"})
	case s.done:
		Say(w, http.StatusOK, map[string]any{"output": map[string]string{"task_id": "task1", "task_status": "SUCCEEDED", "video_url": s.URL + "/files/video.mp4"}, "usage": map[string]any{"output_video_duration": 5}})
	default:
		Say(w, http.StatusOK, map[string]any{"output": map[string]string{"task_id": "task1", "task_status": "RUNNING"}})
	}
}
