package realtimeproxy_test

import (
	"bytes"
	"encoding/base64"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/realtime"
)

// degraded returns spoken words as PCM16 with 24 kHz, degraded by sox: as over a telephone, with noise, too loud. It skips the test without
// espeak-ng and sox (Debian packages of these names).
func degraded(t *testing.T, words string, effects ...string) []byte {
	t.Helper()
	for _, program := range []string{"espeak-ng", "sox"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: no speech can be generated", program)
		}
	}
	wav := filepath.Join(t.TempDir(), "speech.wav")
	run(t, "espeak-ng", "-w", wav, words)
	raw := []string{"-t", "raw", "-r", "24000", "-e", "signed-integer", "-b", "16", "-c", "1", "-"}
	return run(t, "sox", append(append([]string{"-R", wav}, raw...), effects...)...)
}

func run(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	var out, problems bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stdout, cmd.Stderr = &out, &problems
	require.NoError(t, cmd.Run(), "%s: %s", program, problems.String())
	return out.Bytes()
}

// sendAudio sends audio in pieces of 100 ms, as a page does, and a second of silence.
func (p *page) sendAudio(audio []byte) {
	p.t.Helper()
	const piece = 4800
	for audio = append(audio, make([]byte, 10*piece)...); len(audio) > 0; {
		n := min(piece, len(audio))
		p.send(map[string]any{"type": realtime.TypeAppend, "audio": base64.StdEncoding.EncodeToString(audio[:n])})
		audio = audio[n:]
	}
}

func TestProxy_DegradedSpeechArrivesUnchanged(t *testing.T) {
	for name, effects := range map[string][]string{
		"telephone": {"sinc", "300-3400"},
		"clipped":   {"gain", "24"},
		"quiet":     {"vol", "0.3"},
		"reverb":    {"reverb"},
	} {
		t.Run(name, func(t *testing.T) {
			speech := degraded(t, "buy milk", append(effects, "silence", "1", "0.05", "1%", "compand", "0.1,0.1", "-60,-20,0,-10")...)
			b := setup(t)
			var mu sync.Mutex
			var heard []byte
			b.service.Transcribe = func(audio []byte) string {
				mu.Lock()
				defer mu.Unlock()
				heard = append(heard, audio...)
				return "say fine"
			}
			p := b.connect()
			p.sendAudio(speech)
			p.until(realtime.TypeResponseDone)
			b.turn("t1", none)
			mu.Lock()
			defer mu.Unlock()
			require.True(t, bytes.HasPrefix(speech, heard[:min(len(heard), len(speech))]), "the service hears what was recorded")
			require.Greater(t, len(heard), 9600)
			require.Equal(t, []string{"user: say fine", "assistant: fine"}, b.lines()[:2])
		})
	}
}
