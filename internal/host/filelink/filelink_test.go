package filelink_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/host/filelink"
	"xbot/internal/secret"
)

var (
	key     = secret.Key{1, 2, 3}
	expires = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	report  = filelink.Link{User: 7, Runner: "laptop", Path: "/home/a/报告 1.pdf", Name: "报告 1.pdf", Expires: expires}
	output  = filelink.Link{User: 7, Runner: "local", Exec: "cmd.12", Name: "output.txt", Expires: expires}
)

func TestSigner_GivesBackWhatAnotherProcessSigned(t *testing.T) {
	t.Parallel()
	for _, link := range []filelink.Link{report, output} {
		url, err := filelink.New(key).URL(link)
		require.NoError(t, err)
		token, ok := strings.CutPrefix(url, "/files/")
		require.True(t, ok)
		require.Regexp(t, `^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$`, token, "no character needs escaping in an address")
		got, err := filelink.New(key).Verify(token, expires.Add(-time.Second))
		require.NoError(t, err)
		require.Equal(t, link, got)
	}
}

func TestSigner_RefusesWhatHasExpired(t *testing.T) {
	t.Parallel()
	token, err := filelink.New(key).Sign(report)
	require.NoError(t, err)
	_, err = filelink.New(key).Verify(token, expires)
	require.ErrorIs(t, err, filelink.ErrExpired)
}

func TestSigner_RefusesEveryChangeOfAToken(t *testing.T) {
	t.Parallel()
	signer := filelink.New(key)
	token, err := signer.Sign(report)
	require.NoError(t, err)
	for i := range len(token) {
		for _, c := range []string{"A", "_", ".", ""} {
			changed := token[:i] + c + token[i+1:]
			if changed == token {
				continue
			}
			_, err := signer.Verify(changed, expires.Add(-time.Hour))
			require.Equal(t, fault.Denied, fault.KindOf(err), changed)
		}
	}
	other, err := signer.Sign(output)
	require.NoError(t, err)
	payload, _, _ := strings.Cut(token, ".")
	_, mac, _ := strings.Cut(other, ".")
	for _, forged := range []string{"", ".", payload, payload + ".", "." + mac, payload + "." + mac, token + "A", token + "=", strings.Repeat("A", 1<<20)} {
		_, err := signer.Verify(forged, expires.Add(-time.Hour))
		require.Equal(t, fault.Denied, fault.KindOf(err))
	}
	_, err = filelink.New(secret.Key{9}).Verify(token, expires.Add(-time.Hour))
	require.Equal(t, fault.Denied, fault.KindOf(err), "another server's key")
	_, err = filelink.Signer{}.Verify(token, expires.Add(-time.Hour))
	require.Equal(t, fault.Denied, fault.KindOf(err), "no key")
}

func TestSigner_SignsOnlyWholeLinks(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*filelink.Link){
		"no user":          func(l *filelink.Link) { l.User = 0 },
		"no runner":        func(l *filelink.Link) { l.Runner = "" },
		"nothing to read":  func(l *filelink.Link) { l.Path = "" },
		"two things":       func(l *filelink.Link) { l.Exec = "1" },
		"no end":           func(l *filelink.Link) { l.Expires = time.Time{} },
		"an endless path ": func(l *filelink.Link) { l.Path = "/" + strings.Repeat("a", 64<<10) },
	} {
		link := report
		change(&link)
		_, err := filelink.New(key).Sign(link)
		require.Error(t, err, name)
	}
	_, err := filelink.Signer{}.Sign(report)
	require.Error(t, err, "no key")
}

func FuzzVerify(f *testing.F) {
	signer := filelink.New(key)
	token, err := signer.Sign(report)
	require.NoError(f, err)
	f.Add(token)
	f.Add(token[:20] + "." + token[30:])
	f.Fuzz(func(t *testing.T, text string) {
		got, err := signer.Verify(text, expires.Add(-time.Hour))
		if text == token {
			require.NoError(t, err)
			return
		}
		require.Error(t, err)
		require.Zero(t, got)
	})
}
