package safehttp_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
	"xbot/internal/host/safehttp/safehttptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPublic_KnowsEveryFormOfAnAddress(t *testing.T) {
	t.Parallel()
	for text, public := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "172.15.255.255": true, "172.32.0.1": true, "100.63.255.255": true,
		"100.128.0.1": true, "169.253.0.1": true, "11.0.0.1": true, "223.255.255.255": true,
		"2606:4700::1111": true, "2a00:1450::1": true, "2001:4860:4860::8888": true,
		"::ffff:8.8.8.8": true, "64:ff9b::8.8.8.8": true,

		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "10.255.255.255": false,
		"127.0.0.1": false, "127.255.255.254": false, "100.64.0.1": false, "100.100.100.200": false,
		"169.254.169.254": false, "168.63.129.16": false, "172.16.0.1": false, "172.31.255.255": false,
		"192.168.1.1": false, "192.0.0.192": false, "192.0.2.1": false, "198.18.0.1": false, "198.19.255.255": false,
		"224.0.0.1": false, "239.255.255.255": false, "255.255.255.255": false, "240.0.0.1": false,
		"::": false, "::1": false, "::127.0.0.1": false, "::8.8.8.8": false,
		"fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "fc00::1": false, "fd00:ec2::254": false, "fd20:ce::254": false,
		"ff02::1": false, "100::1": false, "2001:db8::1": false, "2001::1": false, "2001:10::1": false,
		"::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::ffff:169.254.169.254": false,
		"64:ff9b::127.0.0.1": false, "64:ff9b::a9fe:a9fe": false, "64:ff9b:1::8.8.8.8": false, "64:ff9b:1::10.0.0.1": false,
		"2002:7f00:1::": false, "2002:808:808::1": false, "5f00::1": false, "4000::1": false,
	} {
		require.Equal(t, public, safehttp.Public(netip.MustParseAddr(text)), text)
	}
	require.False(t, safehttp.Public(netip.Addr{}))
}

func FuzzPublic(f *testing.F) {
	for _, text := range []string{"127.0.0.1", "::ffff:10.1.2.3", "64:ff9b::7f00:1", "2002:7f00:1::", "fe80::1", "8.8.8.8"} {
		b := netip.MustParseAddr(text).As16()
		f.Add(b[:])
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) < 16 {
			return
		}
		addr := netip.AddrFrom16([16]byte(raw[:16]))
		public := safehttp.Public(addr)
		if b := addr.Unmap(); public {
			require.False(t, b.IsPrivate() || b.IsLoopback() || b.IsLinkLocalUnicast() || b.IsMulticast() || b.IsUnspecified(), addr)
		}
		four := netip.AddrFrom4([4]byte(raw[12:16]))
		require.Equal(t, safehttp.Public(four), safehttp.Public(netip.AddrFrom16(four.As16())), "the mapped form")
		translated := [16]byte{0, 0x64, 0xff, 0x9b, 12: raw[12], 13: raw[13], 14: raw[14], 15: raw[15]}
		require.Equal(t, safehttp.Public(four), safehttp.Public(netip.AddrFrom16(translated)), "the translated form")
	})
}

func allow(t *testing.T, entries ...string) safehttp.Allow {
	t.Helper()
	a, err := safehttp.ParseAllow(entries)
	require.NoError(t, err)
	return a
}

// get returns the answer's text, or the error.
func get(t *testing.T, a safehttp.Allow, url string) (string, error) {
	t.Helper()
	client := safehttp.New(a)
	defer client.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

func server(t *testing.T, h http.HandlerFunc) (url, port string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	require.NoError(t, err)
	return s.URL, port
}

func TestNew_RefusesTheServersOwnMachineUnderEveryName(t *testing.T) {
	t.Parallel()
	_, port := server(t, func(http.ResponseWriter, *http.Request) { t.Error("a request came through") })
	for _, url := range safehttptest.Inside(port) {
		_, err := get(t, safehttp.Allow{}, url)
		require.Error(t, err, url)
	}
	_, err := get(t, safehttp.Allow{}, "http://127.0.0.1:"+port+"/")
	require.Equal(t, fault.Denied, fault.KindOf(err))
	require.ErrorContains(t, err, "XBOT_HTTP_ALLOW")
}

func TestNew_RefusesOtherSchemes(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"file:///etc/passwd", "ftp://example.com/", "gopher://127.0.0.1:70/", "unix:///run/docker.sock", "http:///x"} {
		_, err := get(t, allow(t, "0.0.0.0/0"), url)
		require.Equal(t, fault.Invalid, fault.KindOf(err), "%s: %v", url, err)
	}
}

func TestNew_ReachesWhatIsAllowed(t *testing.T) {
	t.Parallel()
	url, port := server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "inside") })
	for _, entry := range []string{"127.0.0.1", "127.0.0.0/8", "::ffff:127.0.0.1"} {
		text, err := get(t, allow(t, "10.0.0.0/8", " "+entry+" "), url)
		require.NoError(t, err, entry)
		require.Equal(t, "inside", text)
	}
	_, err := get(t, allow(t, "127.0.0.2"), url)
	require.Equal(t, fault.Denied, fault.KindOf(err))
	text, err := get(t, allow(t, "LocalHost"), "http://localhost:"+port)
	require.NoError(t, err, "a name is trusted wherever it leads")
	require.Equal(t, "inside", text)
	_, err = get(t, allow(t, "localhost"), url)
	require.Equal(t, fault.Denied, fault.KindOf(err), "but only under that name")
}

func TestNew_ChecksRedirectsLikeFirstRequests(t *testing.T) {
	t.Parallel()
	var url, port string
	url, port = server(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/out":
			http.Redirect(w, r, "http://127.0.0.2:"+port+"/end", http.StatusFound)
		case r.URL.Path == "/scheme":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case strings.HasPrefix(r.URL.Path, "/count/"):
			n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/count/"))
			if err != nil || n == 0 {
				_, _ = io.WriteString(w, "arrived")
				return
			}
			http.Redirect(w, r, "/count/"+strconv.Itoa(n-1), http.StatusFound)
		}
	})
	a := allow(t, "127.0.0.1")
	_, err := get(t, a, url+"/out")
	require.Equal(t, fault.Denied, fault.KindOf(err))
	_, err = get(t, a, url+"/scheme")
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	text, err := get(t, a, url+"/count/5")
	require.NoError(t, err)
	require.Equal(t, "arrived", text)
	_, err = get(t, a, url+"/count/6")
	require.ErrorContains(t, err, "more than 5 times")
}

func TestNew_TellsNobodyWhereItComesFromAndSendsNoPasswordOfARedirect(t *testing.T) {
	t.Parallel()
	var url string
	url, _ = server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/from":
			http.Redirect(w, r, "/to", http.StatusFound)
		case "/to":
			_, _ = io.WriteString(w, "referer "+r.Header.Get("Referer"))
		case "/password":
			http.Redirect(w, r, strings.Replace(url, "http://", "http://u:p@", 1)+"/to", http.StatusFound)
		}
	})
	text, err := get(t, allow(t, "127.0.0.1"), url+"/from?token=1")
	require.NoError(t, err)
	require.Equal(t, "referer ", text)
	_, err = get(t, allow(t, "127.0.0.1"), url+"/password")
	require.Equal(t, fault.Denied, fault.KindOf(err))
}

func TestNew_UsesNoProxyOfTheEnvironment(t *testing.T) {
	proxy, _ := server(t, func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") })
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("http_proxy", proxy)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://192.0.2.1/", nil)
	require.NoError(t, err)
	_, err = safehttp.New(safehttp.Allow{}).Do(r)
	require.Error(t, err)
	_, err = get(t, safehttp.Allow{}, "http://192.0.2.1/")
	require.Equal(t, fault.Denied, fault.KindOf(err))
}

func TestParseAllow_NamesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for _, entry := range []string{"10.0.0.0/33", "http://intranet", "10.0.0", "a b", "*.corp", "10.0.0.256"} {
		_, err := safehttp.ParseAllow([]string{"10.0.0.0/8", entry})
		require.ErrorContains(t, err, strconv.Quote(entry))
	}
	_, err := safehttp.ParseAllow([]string{"", "wiki.corp.example", "[fd00::1]"})
	require.NoError(t, err)
}

func TestNew_OneAddressOfAHostIsThatPortAlone(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer other.Close()
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, other.URL, http.StatusFound)
		}
	}))
	defer own.Close()
	client := safehttp.New(safehttp.Allow{}.With(strings.TrimPrefix(own.URL, "http://")))
	defer client.CloseIdleConnections()
	for address, in := range map[string]bool{own.URL: true, own.URL + "/away": false, other.URL: false} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		require.NoError(t, err)
		resp, err := client.Do(r)
		if in {
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			continue
		}
		require.Equal(t, fault.Denied, fault.KindOf(err), address)
	}
}
