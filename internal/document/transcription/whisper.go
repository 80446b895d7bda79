package transcription

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
)

// inferencePath is the path of a whisper.cpp server, https://github.com/ggml-org/whisper.cpp/tree/master/examples/server.
const inferencePath = "/inference"

// maxServers is the maximum number of addresses in whisperServers.
const maxServers = 256

// whisperServers is the set of addresses that turned out to be whisper.cpp servers. The zero value is an empty set.
type whisperServers struct {
	mu    sync.Mutex
	bases map[string]bool
}

func (w *whisperServers) has(base string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bases[base]
}

func (w *whisperServers) add(base string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.bases == nil || len(w.bases) >= maxServers {
		w.bases = map[string]bool{}
	}
	w.bases[base] = true
}

func (w *whisperServers) remove(base string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.bases, base)
}

// infer calls a whisper.cpp server, whose path does not start with /v1. found is false if the server does not have the path.
func infer(ctx context.Context, access toolkey.Access, name string, audio []byte) (text string, used usage, found bool, err error) {
	access.BaseURL = strings.TrimSuffix(access.BaseURL, "/v1")
	answer, err := send(ctx, access, inferencePath, name, audio)
	if err != nil {
		return "", used, true, err
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	switch answer.StatusCode {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "", used, false, nil
	case http.StatusBadRequest, http.StatusInternalServerError: // an unsupported file, without and with --convert
		return "", used, true, fault.Errorf(fault.Invalid, "the whisper.cpp server could not read the recording: install ffmpeg and start the server with --convert")
	}
	if err := toolkey.Refused(answer); err != nil {
		return "", used, true, err
	}
	text, used, err = parseAnswer(answer)
	return text, used, true, err
}
