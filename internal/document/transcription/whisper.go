package transcription

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
)

// inferencePath is the path of the server of whisper.cpp, https://github.com/ggml-org/whisper.cpp/tree/master/examples/server.
const inferencePath = "/inference"

// maxServers bounds the addresses that whisperServers holds: users choose some of them.
const maxServers = 256

// whisperServers are the addresses of servers of whisper.cpp that a process has found. The zero value is ready.
type whisperServers struct {
	mu    sync.Mutex
	bases map[string]bool
}

func (w *whisperServers) known(base string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bases[base]
}

func (w *whisperServers) remember(base string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.bases == nil || len(w.bases) >= maxServers {
		w.bases = map[string]bool{}
	}
	w.bases[base] = true
}

func (w *whisperServers) forget(base string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.bases, base)
}

// infer asks a server of whisper.cpp, whose path does not begin with /v1. found is false if the server has no such path.
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
	case http.StatusBadRequest, http.StatusInternalServerError: // a file that it cannot read, without and with --convert
		return "", used, true, fault.Errorf(fault.Invalid, "the server of whisper.cpp could not read the recording: start it with --convert, for which it needs ffmpeg")
	}
	if err := toolkey.Refused(answer); err != nil {
		return "", used, true, err
	}
	text, used, err = textIn(answer)
	return text, used, true, err
}
