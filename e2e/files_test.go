package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
)

// download opens a link as somebody without a login does.
func (s *server) download(link string) (int, http.Header, []byte) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+link, nil)
	require.NoError(s.t, err)
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(s.t, err)
	defer resp.Body.Close() // read only
	body, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return resp.StatusCode, resp.Header, body
}

// uploadTogether uploads so many files of one name at the same moment, and returns the names they got, sorted.
func (k *talk) uploadTogether(name string, files int) []string {
	k.t.Helper()
	names := make([]string, files)
	var uploads errgroup.Group
	for i := range names {
		uploads.Go(func() error {
			f, err := k.client.Upload(k.t.Context(), k.key, "", name, strings.NewReader("x"))
			names[i] = f.Name
			return err
		})
	}
	require.NoError(k.t, uploads.Wait())
	slices.Sort(names)
	return names
}

func TestFiles_WhatIsUploadedIsReadByToolsAndComesBackThroughALinkAfterACrash(t *testing.T) {
	t.Parallel()
	s := diskServer(t)
	k := s.newTalk()
	notes, err := s.client.Upload(t.Context(), k.key, "", "会议 notes.txt", strings.NewReader("the answer is 42\n"))
	require.NoError(t, err)
	require.Equal(t, "会议 notes.txt", notes.Name)
	id := k.send(fmt.Sprintf(`call Read {"path":%q}`, notes.Path), k.shell("echo made by a command > out.txt; ln -s %s door", s.traces), "say read")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	var results []string
	for _, m := range k.transcript().Messages {
		for _, c := range m.ToolCalls {
			results = append(results, c.Result)
		}
	}
	require.Contains(t, results[0], "the answer is 42")
	require.Equal(t, []string{"same-1.txt", "same-2.txt", "same-3.txt", "same-4.txt", "same-5.txt", "same.txt"}, k.uploadTogether("same.txt", 6))

	link, err := s.client.CreateLink(t.Context(), k.key, apiclient.NewFileLink{Path: "out.txt", TTLS: 3600})
	require.NoError(t, err)
	short, err := s.client.CreateLink(t.Context(), k.key, apiclient.NewFileLink{Path: "out.txt", TTLS: 1})
	require.NoError(t, err)
	status, header, body := s.download(link.URL)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "made by a command\n", string(body))
	require.Contains(t, header.Get("Content-Disposition"), "attachment; ")
	require.Equal(t, "sandbox; default-src 'none'", header.Get("Content-Security-Policy"))

	s.crash()
	s.boot()
	require.Eventually(t, func() bool {
		status, _, body = s.download(link.URL)
		return status == http.StatusOK // the runner has to come back first
	}, time.Minute, 50*time.Millisecond)
	require.Equal(t, "made by a command\n", string(body))
	require.Eventually(t, func() bool { status, _, body = s.download(short.URL); return status == http.StatusGone }, time.Minute, 50*time.Millisecond)
	require.Contains(t, string(body), "expired")
	status, _, body = s.download(link.URL[:len(link.URL)-2] + "AA")
	require.Equal(t, http.StatusForbidden, status)
	require.Contains(t, string(body), "not valid")

	_, err = s.client.CreateLink(t.Context(), k.key, apiclient.NewFileLink{Path: s.home + "/secret.key", TTLS: 3600})
	require.Equal(t, fault.Denied, fault.KindOf(err), "xbot's own files stay out of reach: %v", err)
	_, err = s.client.DownloadFile(t.Context(), k.key, apiclient.DownloadFileParams{Path: s.home + "/run/serve.json"}, io.Discard)
	require.Equal(t, fault.Denied, fault.KindOf(err), "%v", err)
	_, err = s.client.Upload(t.Context(), k.key, "../..", "x", strings.NewReader("x"))
	require.Equal(t, fault.Invalid, fault.KindOf(err), "%v", err)
	_, err = s.client.Upload(t.Context(), k.key, "door", "x", strings.NewReader("x"))
	require.Equal(t, fault.Denied, fault.KindOf(err), "a link that a command left is no way out: %v", err)
}

// peak is the most memory that a process has had, in bytes.
func peak(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, found)
	kb, err := strconv.Atoi(string(found[1]))
	require.NoError(t, err)
	return kb << 10
}

func TestFiles_LargeOnesPassThroughTheServerInParts(t *testing.T) {
	t.Parallel()
	s := prepareServer(t)
	s.bin = bin // its memory is measured, of which the race detector takes six times as much
	s.boot()
	k := s.newTalk()
	const size = 100 << 20
	content := func() io.Reader { return io.LimitReader(rand.NewChaCha8([32]byte{1}), size) }
	want := sha256.New()
	_, err := io.Copy(want, content())
	require.NoError(t, err)
	before := peak(t, s.cmd.Process.Pid)
	began := time.Now()
	stored, err := s.client.Upload(t.Context(), k.key, "", "big.bin", content())
	require.NoError(t, err)
	require.EqualValues(t, size, stored.Size)
	up := time.Since(began)
	got := sha256.New()
	_, err = s.client.DownloadFile(t.Context(), k.key, apiclient.DownloadFileParams{Path: stored.Path}, got)
	require.NoError(t, err)
	require.Equal(t, hex.EncodeToString(want.Sum(nil)), hex.EncodeToString(got.Sum(nil)))
	after := peak(t, s.cmd.Process.Pid)
	t.Logf("100 MB up in %s, down in %s; peak memory of the server %d MB before, %d MB after",
		up.Round(time.Millisecond), (time.Since(began) - up).Round(time.Millisecond), before>>20, after>>20)
	require.Less(t, after-before, size, "the server held the whole file")

	_, err = s.client.Upload(t.Context(), k.key, "", "over.bin", io.MultiReader(content(), bytes.NewReader([]byte{1})))
	require.Equal(t, fault.TooLarge, fault.KindOf(err), "%v", err)
	folder, err := s.client.ListFiles(t.Context(), k.key, apiclient.ListFilesParams{Path: "uploads"})
	require.NoError(t, err)
	require.Len(t, folder.Entries, 1, "nothing of the file that was too large stays")
}

func TestFiles_TheModelDownloadsOnlyFromWhereItMay(t *testing.T) {
	t.Parallel()
	s := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1")
	l, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	site := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/csv")
		_, _ = io.WriteString(w, "a,b\n1,2\n") // the client is gone if this fails
	})}
	go func() { _ = site.Serve(l) }() // ends with Close
	t.Cleanup(func() { require.NoError(t, site.Close()) })
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)

	k := s.newTalk()
	call := func(host, path string) chat.ToolCall {
		id := k.send(fmt.Sprintf(`call DownloadFile {"url":"http://%s:%s/data.csv","output_path":%q}`, host, port, path), "say tried")
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
		return lastCalls(k)[0]
	}
	c := call("127.0.0.1", "in/data.csv")
	require.Equal(t, "Wrote in/data.csv (8 bytes, text/csv).", c.Result)
	require.Equal(t, chat.ClassIdempotent, c.Class)
	var got bytes.Buffer
	_, err = s.client.DownloadFile(t.Context(), k.key, apiclient.DownloadFileParams{Path: "in/data.csv"}, &got)
	require.NoError(t, err)
	require.Equal(t, "a,b\n1,2\n", got.String())
	c = call("127.0.0.2", "in/other.csv")
	require.True(t, c.IsError)
	require.Contains(t, c.Result, "127.0.0.2 is not an address on the public internet")
	_, err = s.client.DownloadFile(t.Context(), k.key, apiclient.DownloadFileParams{Path: "in/other.csv"}, io.Discard)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

// counted is what "seq 1 n" prints.
func counted(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i+1)
	}
	return b.String()
}

func TestFiles_TheWholeOutputOfATaskAndOfABangCommandCanBeFetched(t *testing.T) {
	t.Parallel()
	s := diskServer(t)
	k := s.newTalk()
	id := k.send(k.background("seq 1 200000; while [ ! -e %s ]; do sleep 0.1; done; echo end", k.file("go")), "say begun", "say told")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	output := func() string {
		var got bytes.Buffer
		_, err := s.client.TaskOutput(t.Context(), k.key, "bg1", &got)
		require.NoError(t, err)
		return got.String()
	}
	require.Eventually(t, func() bool { return output() == counted(200_000) }, time.Minute, 20*time.Millisecond, "while it runs: what there is by now")
	require.NoError(t, os.WriteFile(k.file("go"), nil, 0o600))
	k.untilAnnounced(time.Minute)
	require.Equal(t, counted(200_000)+"end\n", output())
	_, err := s.client.TaskOutput(t.Context(), k.key, "bg2", io.Discard)
	require.Equal(t, fault.NotFound, fault.KindOf(err))

	k.send("!seq 1 100000")
	notice := k.untilNotice(time.Minute, "whole output").Content
	link := regexp.MustCompile(`\]\((/files/[^)]+)\)`).FindStringSubmatch(notice)
	require.NotNil(t, link, notice)
	status, header, body := s.download(link[1])
	require.Equal(t, http.StatusOK, status, "%s", body)
	require.Equal(t, counted(100_000), string(body))
	require.Equal(t, "text/plain; charset=utf-8", header.Get("Content-Type"))
	s.crash()
	s.boot()
	require.Eventually(t, func() bool { status, _, body = s.download(link[1]); return status == http.StatusOK }, time.Minute, 50*time.Millisecond)
	require.Equal(t, counted(100_000), string(body))
}
