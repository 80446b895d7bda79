package webpicture

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"image"
	"image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
	"xbot/internal/host/safehttp/safehttptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func pngOf(t *testing.T, side int) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, image.NewGray(image.Rect(0, 0, side, side))))
	return out.Bytes()
}

// fetcher is one that reaches the hosts that are allowed, besides the public internet.
func fetcher(t *testing.T, allowed ...string) *Fetcher {
	t.Helper()
	allow, err := safehttp.ParseAllow(allowed)
	require.NoError(t, err)
	client := safehttp.New(allow)
	t.Cleanup(client.CloseIdleConnections)
	return New(client, "xbot/1.2.3")
}

func site(t *testing.T, h http.HandlerFunc) (url, port string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	require.NoError(t, err)
	return s.URL, port
}

func at(addresses ...string) (out []Picture) {
	for _, a := range addresses {
		out = append(out, Picture{Address: a})
	}
	return out
}

func TestFetch_APictureIsFetchedWithoutCookiesAndPasswords(t *testing.T) {
	cat := pngOf(t, 3)
	var got http.Header
	url, _ := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
			http.Redirect(w, r, "/cat", http.StatusFound)
			return
		}
		got = r.Header
		w.Header().Set("Content-Type", "text/html") // what it says it is does not count
		_, _ = w.Write(cat)
	})
	files, err := fetcher(t, "127.0.0.1").Fetch(t.Context(), "anna", append(at(url+"/moved?token=t"), Picture{Data: []byte("own")}))
	require.NoError(t, err)
	require.Equal(t, [][]byte{cat, []byte("own")}, files)
	require.Equal(t, "xbot/1.2.3", got.Get("User-Agent"))
	for _, name := range []string{"Cookie", "Authorization", "Referer"} {
		require.Empty(t, got.Get(name), name)
	}
}

func TestFetch_NothingInsideIsReachedUnderAnyName(t *testing.T) {
	reached := func(w http.ResponseWriter, _ *http.Request) { t.Error("a request came through") }
	_, port := site(t, reached)
	f := fetcher(t)
	for _, address := range safehttptest.Inside(port) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		_, err := f.Fetch(ctx, "anna", at(address))
		cancel()
		require.Equal(t, fault.Invalid, fault.KindOf(err), "%s: %v", address, err)
		require.Contains(t, err.Error(), "its host is nowhere on the public internet", address)
		require.NotContains(t, err.Error(), "XBOT_HTTP_ALLOW")
	}
	hop, _ := site(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	})
	f = fetcher(t, "127.0.0.1")
	for _, to := range []string{"http://127.0.0.2:" + port + "/", "http://169.254.169.254/", "http://[::1]:" + port + "/", "http://10.0.0.1/"} {
		_, err := f.Fetch(t.Context(), "anna", at(hop+"/?to="+to))
		require.ErrorContains(t, err, "its host is nowhere on the public internet", to)
	}
	for _, to := range []string{"file:///etc/passwd", "gopher://example.com/", strings.Replace(hop, "http://", "http://u:p@", 1)} {
		_, err := f.Fetch(t.Context(), "anna", at(hop+"/?to="+to))
		require.ErrorContains(t, err, "to where nothing is fetched from", to)
	}
}

func TestFetch_WhatIsNoPictureIsRefusedWhateverItSaysThatItIs(t *testing.T) {
	url, _ := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		switch r.URL.Path {
		case "/page":
			_, _ = w.Write([]byte("<html><script>secret-word</script>" + strings.Repeat(" ", 4096)))
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(bytes.Repeat([]byte{0}, 64<<20))
			_ = z.Close()
		case "/svg":
			_, _ = w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`))
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write(pngOf(t, 3))
		case "/short":
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write(pngOf(t, 3))
		}
	})
	f := fetcher(t, "127.0.0.1")
	for path, why := range map[string]string{
		"/page": "what is there is no picture", "/bomb": "what is there is no picture", "/svg": "what is there is no picture", "/empty": "what is there is no picture",
		"/missing": "it answered 404 Not Found", "/short": "the connection ended",
	} {
		_, err := f.Fetch(t.Context(), "anna", append([]Picture{{Data: []byte("x")}}, at(url+path+"?token=secret-token")...))
		var missing *Error
		require.ErrorAs(t, err, &missing, path)
		require.Equal(t, 1, missing.Picture)
		require.Equal(t, fault.Invalid, fault.KindOf(err))
		require.Contains(t, err.Error(), why)
		require.Contains(t, err.Error(), `the picture at "127.0.0.1" is not taken`)
		require.Contains(t, err.Error(), "or send its bytes as data:image/png;base64,…")
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestFetch_ManyBytesAreNotReadHoweverTheyAreAnnounced(t *testing.T) {
	head := pngOf(t, 3)
	var sent atomic.Int64
	url, _ := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/honest" {
			w.Header().Set("Content-Length", fmt.Sprint(1<<30))
		}
		_, err := w.Write(head)
		for piece := make([]byte, 32<<10); err == nil; sent.Add(int64(len(piece))) { // without an end
			_, err = w.Write(piece)
		}
	})
	f := fetcher(t, "127.0.0.1")
	f.bytes = 1 << 20
	for _, path := range []string{"/endless", "/honest"} {
		_, err := f.Fetch(t.Context(), "anna", at(url+path))
		require.ErrorContains(t, err, "have at most 1 MB together", path)
	}
	half, _ := site(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(append(bytes.Clone(head), make([]byte, 600<<10)...))
	})
	_, err := f.Fetch(t.Context(), "anna", at(half))
	require.NoError(t, err)
	_, err = f.Fetch(t.Context(), "anna", at(half, half))
	require.ErrorContains(t, err, "have at most 1 MB together", "all of a message count")
}

func TestFetch_ASlowHostEndsWithTheTimeOfAllPictures(t *testing.T) {
	ended := make(chan struct{})
	url, _ := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/dripping" {
			_, _ = w.Write(pngOf(t, 3))
			_ = http.NewResponseController(w).Flush()
		}
		<-ended
	})
	t.Cleanup(func() { close(ended) })
	f := fetcher(t, "127.0.0.1")
	f.time = 100 * time.Millisecond
	for _, path := range []string{"/silent", "/dripping"} {
		_, err := f.Fetch(t.Context(), "anna", at(url+path, url+path, url+path, url+path, url+path, url+path))
		require.ErrorContains(t, err, "it did not arrive in time; the pictures of a message get 100ms together", path)
		require.Equal(t, fault.Invalid, fault.KindOf(err))
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := fault.Errorf(fault.Conflict, "gone")
	cancel(gone)
	_, err := f.Fetch(ctx, "anna", at(url))
	require.ErrorIs(t, err, gone)
	require.Equal(t, fault.Invalid, fault.KindOf(err), "nothing broke")
}

func TestFetch_AFewAreFetchedBesideEachOther(t *testing.T) {
	cat := pngOf(t, 3)
	var now atomic.Int64
	together := make(chan struct{})
	all := sync.OnceFunc(func() { close(together) })
	url, _ := site(t, func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		if n > maxBeside {
			t.Errorf("%d are fetched at once", n)
		}
		if n == maxBeside {
			all()
		}
		select {
		case <-together:
		case <-r.Context().Done():
		}
		_, _ = w.Write(cat)
	})
	files, err := fetcher(t, "127.0.0.1").Fetch(t.Context(), "anna", slices.Repeat(at(url), 3*maxBeside))
	require.NoError(t, err)
	require.Equal(t, slices.Repeat([][]byte{cat}, 3*maxBeside), files)
}

func TestFetch_OneCallerKeepsNobodyElseFromTheirPictures(t *testing.T) {
	cat := pngOf(t, 3)
	goOn := make(chan struct{})
	var begun sync.WaitGroup
	begun.Add(maxOfOne)
	url, _ := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			begun.Done()
			<-goOn
		}
		_, _ = w.Write(cat)
	})
	f := fetcher(t, "127.0.0.1")
	var slow sync.WaitGroup
	for range maxOfOne {
		slow.Go(func() {
			_, err := f.Fetch(t.Context(), "anna", at(url+"/slow"))
			require.NoError(t, err)
		})
	}
	begun.Wait()
	_, err := f.Fetch(t.Context(), "anna", at(url+"/cat"))
	require.Equal(t, fault.RateLimited, fault.KindOf(err))
	require.Positive(t, fault.After(err))
	_, err = f.Fetch(t.Context(), "bob", at(url+"/cat"))
	require.NoError(t, err)
	_, err = f.Fetch(t.Context(), "anna", []Picture{{Data: cat}})
	require.NoError(t, err, "what is not fetched takes no place")
	close(goOn)
	slow.Wait()
	_, err = f.Fetch(t.Context(), "anna", at(url+"/cat"))
	require.NoError(t, err)
	require.Empty(t, f.one)
}

func TestCheck_RefusesWhatIsNoAddressOfAPicture(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "cat.png", "/cat.png", "//example.com/cat.png", "file:///etc/passwd", "ftp://example.com/cat.png", "javascript:alert(1)", "http://", "https:///cat.png",
		"http://:80/", "http://exa mple.com/", "http://example.com/\n", "https://user:secret@example.com/cat.png", "https://user@example.com/", "https://example.com/" + strings.Repeat("a", maxAddress),
	} {
		err := Check(address)
		require.Equal(t, fault.Invalid, fault.KindOf(err), address)
		require.Contains(t, err.Error(), "data:image/png;base64,…")
		require.NotContains(t, err.Error(), "secret")
	}
	for _, address := range []string{"https://example.com/cat.png?token=1#x", "HTTP://EXAMPLE.com", "https://[2001:4860::1]:8443/", "https://例子.测试/猫.png"} {
		require.NoError(t, Check(address))
	}
}

func TestName_TellsAddressesApartAndNotWhatTheyAre(t *testing.T) {
	t.Parallel()
	a, b := Name("https://example.com/a?token=secret"), Name("https://example.com/b?token=secret")
	require.NotEqual(t, a, b)
	require.Equal(t, a, Name("https://example.com/a?token=secret"))
	require.True(t, IsName(a))
	require.NotContains(t, a, "secret")
	for _, name := range []string{"picture.png", "picture.jpeg", "picture-", ""} {
		require.False(t, IsName(name), name)
	}
}

func FuzzCheck_WhatIsTakenNamesAHostAndNobody(f *testing.F) {
	for _, seed := range []string{"https://example.com/a", "http://u:p@h/", "https://[::1]/", "http://a%2fb/", "HTTPS://x", "http:///x", "http://\x00/", "https://a@b@c/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if err := Check(address); err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			return
		}
		r, err := http.NewRequest(http.MethodGet, address, nil)
		require.NoError(t, err)
		require.NotEmpty(t, r.URL.Hostname())
		require.Nil(t, r.URL.User)
		require.Contains(t, []string{"http", "https"}, r.URL.Scheme)
	})
}
