package download_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/download"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/filelink"
	"xbot/internal/sandbox"
	"xbot/internal/secret"
	"xbot/internal/tool/tooltest"
	"xbot/internal/user/users"
)

// house has one person, number 7, with one runner.
type house struct {
	box      sandbox.Sandbox
	err      error
	disabled bool
}

func (h *house) Box(_ context.Context, user chat.UserID, runner string) (sandbox.Sandbox, error) {
	if user != 7 || runner != "test" {
		return nil, fault.Errorf(fault.Denied, "there is no runner %s any more", runner)
	}
	return h.box, h.err
}

func (h *house) UserByID(_ context.Context, id chat.UserID) (users.User, error) {
	if id != 7 {
		return users.User{}, fault.Errorf(fault.NotFound, "no rows")
	}
	return users.User{ID: id, Disabled: h.disabled}, nil
}

// linkServer serves links to the files of a sandbox.
type linkServer struct {
	t     *testing.T
	box   *tooltest.Box
	house *house
	sign  filelink.Signer
	url   string
}

func setupLinks(t *testing.T) *linkServer {
	t.Helper()
	t.Parallel()
	l := &linkServer{t: t, box: tooltest.New(t), sign: filelink.New(secret.Key{1})}
	l.house = &house{box: l.box}
	files := &download.Links{Signer: l.sign, Accounts: l.house, Sandboxes: l.house, Log: slog.New(slog.DiscardHandler)}
	server := httptest.NewServer(files)
	t.Cleanup(server.Close)
	l.url = server.URL
	return l
}

func (l *linkServer) link(change func(*filelink.Link)) string {
	l.t.Helper()
	link := filelink.Link{User: 7, Runner: "test", Path: l.box.Workspace() + "/a.txt", Name: "a.txt", Expires: time.Now().Add(time.Hour)}
	change(&link)
	url, err := l.sign.URL(link)
	require.NoError(l.t, err)
	return url
}

func (l *linkServer) get(url string, header ...string) (*http.Response, string) {
	l.t.Helper()
	return l.do(http.MethodGet, url, header...)
}

func (l *linkServer) do(method, url string, header ...string) (*http.Response, string) {
	l.t.Helper()
	r, err := http.NewRequestWithContext(l.t.Context(), method, l.url+url, nil)
	require.NoError(l.t, err)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	require.NoError(l.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(l.t, err)
	return resp, string(body)
}

func TestFiles_ALinkIsEnoughToDownload(t *testing.T) {
	l := setupLinks(t)
	l.box.Put(t, "a.txt", "<script>alert(1)</script>")
	url := l.link(func(link *filelink.Link) { link.Name = "a \"b\"\n.txt" })
	resp, body := l.get(url)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, "<script>alert(1)</script>", body)
	for name, want := range map[string]string{
		"Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff", "Content-Length": "25",
		"Content-Security-Policy": "sandbox; default-src 'none'", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
		"Content-Disposition": `attachment; filename="a _b_ .txt"; filename*=UTF-8''a%20%22b%22%20.txt`,
	} {
		require.Equal(t, want, resp.Header.Get(name), name)
	}
	resp, body = l.do(http.MethodHead, url)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Empty(t, body)
	require.EqualValues(t, 25, resp.ContentLength)
}

func TestFiles_ALinkSaysWhyItDoesNotWork(t *testing.T) {
	l := setupLinks(t)
	l.box.Put(t, "a.txt", "x")
	good := l.link(func(*filelink.Link) {})
	for name, c := range map[string]struct {
		url    string
		status int
		say    string
	}{
		"expired":           {l.link(func(k *filelink.Link) { k.Expires = time.Now().Add(-time.Second) }), http.StatusGone, "has expired"},
		"changed":           {strings.Replace(good, "a", "b", 1), http.StatusForbidden, "is not valid"},
		"cut off":           {good[:len(good)-3], http.StatusForbidden, "is not valid"},
		"nothing":           {"/files/", http.StatusForbidden, "is not valid"},
		"file removed":      {l.link(func(k *filelink.Link) { k.Path += "x" }), http.StatusNotFound, "no longer exists"},
		"a folder":          {l.link(func(k *filelink.Link) { k.Path = l.box.Workspace() }), http.StatusNotFound, "no longer exists"},
		"account removed":   {l.link(func(k *filelink.Link) { k.User = 8 }), http.StatusGone, "account or the runner"},
		"runner removed":    {l.link(func(k *filelink.Link) { k.Runner = "other" }), http.StatusGone, "account or the runner"},
		"output forgotten":  {l.link(func(k *filelink.Link) { k.Path, k.Exec = "", "cmd.1" }), http.StatusNotFound, "no longer exists"},
		"something in path": {good + "/../x", http.StatusForbidden, "is not valid"},
	} {
		resp, body := l.get(c.url)
		require.Equal(t, c.status, resp.StatusCode, "%s: %s", name, body)
		require.Contains(t, body, c.say, name)
		require.Equal(t, "text/plain; charset=utf-8", resp.Header.Get("Content-Type"))
		require.Empty(t, resp.Header.Get("Content-Disposition"))
	}
	_, body := l.get(l.link(func(k *filelink.Link) { k.Expires = time.Now() }), "Accept-Language", "zh-CN,zh;q=0.9")
	require.Contains(t, body, "已过期")
}

func TestFiles_ALinkOfAPersonWhoIsDisabledLeadsNowhere(t *testing.T) {
	l := setupLinks(t)
	l.box.Put(t, "a.txt", "content")
	url := l.link(func(*filelink.Link) {})
	answer, _ := l.get(url)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	l.house.disabled = true
	answer, said := l.get(url)
	require.Equal(t, http.StatusGone, answer.StatusCode)
	require.NotContains(t, said, "content")
}

func TestFiles_ALinkOfAnOfflineRunnerSaysSo(t *testing.T) {
	l := setupLinks(t)
	l.house.err = fault.Errorf(fault.Unavailable, "%w", &sandbox.OfflineError{Runner: "laptop"})
	resp, body := l.get(l.link(func(*filelink.Link) {}))
	require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	require.Contains(t, body, "runner laptop, which is offline")
}

func TestFiles_ALinkToAnOutputGivesAllOfIt(t *testing.T) {
	l := setupLinks(t)
	_, err := l.box.Exec(t.Context(), sandbox.ExecRequest{ID: "cmd.1", Command: "i=0; while [ $i -lt 200000 ]; do echo line $i; i=$((i+1)); done", Dir: "."})
	require.NoError(t, err)
	resp, body := l.get(l.link(func(k *filelink.Link) { k.Path, k.Exec, k.Name = "", "cmd.1", "output.txt" }))
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, "text/plain; charset=utf-8", resp.Header.Get("Content-Type"))
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	require.Len(t, lines, 200_000)
	require.Equal(t, "line 199999", lines[199_999])
}

// torn is a sandbox that loses its file in the middle.
type torn struct{ *tooltest.Box }

func (torn) Download(_ context.Context, _ string, to io.Writer) (int64, error) {
	n, err := to.Write([]byte("half"))
	if err != nil {
		return int64(n), err
	}
	return int64(n), fault.Errorf(fault.Conflict, "the file changed")
}

func TestFiles_AHalfFileIsNotTakenForAWholeOne(t *testing.T) {
	l := setupLinks(t)
	l.box.Put(t, "a.txt", "")
	require.NoError(t, os.Truncate(l.box.Workspace()+"/a.txt", 100))
	l.house.box = torn{l.box}
	for _, size := range []int64{100, 0} { // with a length, and without one
		require.NoError(t, os.Truncate(l.box.Workspace()+"/a.txt", size))
		resp, err := http.Get(l.url + l.link(func(*filelink.Link) {}))
		if err == nil { // the header may have been on its way
			_, err = io.ReadAll(resp.Body)
			require.NoError(t, resp.Body.Close())
		}
		require.ErrorContains(t, err, "EOF")
	}
}

func TestFiles_ALinkDoesNotFollowASymlinkThatIsPutInItsWay(t *testing.T) {
	l := setupLinks(t)
	l.box.Put(t, "a.txt", "what was shared")
	l.box.Put(t, "other.txt", "a secret")
	url := l.link(func(*filelink.Link) {})
	_, body := l.get(url)
	require.Equal(t, "what was shared", body)
	shared := l.box.Workspace() + "/a.txt"
	require.NoError(t, os.Remove(shared))
	require.NoError(t, os.Symlink(l.box.Workspace()+"/other.txt", shared))
	resp, body := l.get(url)
	require.Equal(t, http.StatusNotFound, resp.StatusCode)
	require.NotContains(t, body, "a secret")
}
