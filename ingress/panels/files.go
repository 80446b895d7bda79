// Package panels serves the files of plugins' panels (weblink.Prefix). A panel is an untrusted document: its frame has a separate origin, reaches
// nothing but its own files, and no cookie counts here.
package panels

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/extension/plugin/weblink"
	"xbot/internal/fault"
	"xbot/internal/user/users"
)

// Installed returns the enabled plugins.
type Installed interface {
	Working(ctx context.Context) ([]installed.Plugin, error)
}

// Archives has the files of plugins.
type Archives interface {
	PluginArchive(ctx context.Context, id string) (digest string, archive []byte, err error)
}

// Accounts finds users.
type Accounts interface {
	UserByID(ctx context.Context, id chat.UserID) (users.User, error)
}

const (
	// loadTime bounds how long it may take to read the files of a plugin.
	loadTime = 30 * time.Second
	// keptMost is for how many versions of plugins files are kept in memory, each at most plugin.MaxWeb bytes.
	keptMost = 4
)

// Files serves files of plugins. It is safe for concurrent use.
type Files struct {
	Signer   weblink.Signer
	Plugins  Installed
	Archives Archives
	Accounts Accounts
	Log      *slog.Logger

	loads singleflight.Group // by plugin and digest

	mu   sync.Mutex
	kept map[string]map[string][]byte // by digest
}

// ServeHTTP sends a file, or a sentence.
func (f *Files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, name, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), weblink.Prefix), "/")
	protect(w.Header(), r.Host, token)
	data, err := f.file(r.Context(), token, name)
	if err != nil {
		f.refuse(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", plugin.WebType(name))
	h.Set("Content-Length", strconv.Itoa(len(data)))
	h.Set("Cache-Control", "private, no-store")
	if r.Method != http.MethodHead {
		_, _ = w.Write(data) // the client is gone if this fails
	}
}

func (f *Files) file(ctx context.Context, token, name string) ([]byte, error) {
	link, err := f.Signer.Verify(token, time.Now())
	if err != nil {
		return nil, err
	}
	if !plugin.IsWebPath(name) { // an escaped character is none that may be there
		return nil, errNoFile
	}
	if who, err := f.Accounts.UserByID(ctx, link.User); err != nil || who.Disabled {
		if err == nil || fault.Is(err, fault.NotFound) {
			err = errNoFile
		}
		return nil, err
	}
	one, err := f.granted(ctx, link)
	if err != nil {
		return nil, err
	}
	web, err := f.web(ctx, one)
	if err != nil {
		return nil, err
	}
	data, there := web[name]
	if !there {
		return nil, errNoFile
	}
	return data, nil
}

var errNoFile = fault.Errorf(fault.NotFound, "there is no such file of a panel: the plugin was changed, switched off or removed, or never had it")

// granted returns the plugin of a link, as long as it is in force in this very version and may show panels.
func (f *Files) granted(ctx context.Context, link weblink.Link) (installed.Plugin, error) {
	working, err := f.Plugins.Working(ctx)
	if err != nil {
		return installed.Plugin{}, err
	}
	for _, one := range working {
		if one.Plugin.ID == link.Plugin && one.Digest == link.Digest && one.Wants(plugin.Page) {
			return one, nil
		}
	}
	return installed.Plugin{}, errNoFile
}

// web returns the files of a version. Those who ask at the same time wait for one reading, each as long as its ctx lasts.
func (f *Files) web(ctx context.Context, one installed.Plugin) (map[string][]byte, error) {
	f.mu.Lock()
	web := f.kept[one.Digest]
	f.mu.Unlock()
	if web != nil {
		return web, nil
	}
	done := f.loads.DoChan(one.Digest, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTime)
		defer cancel()
		return f.load(ctx, one)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-done:
		web, _ := r.Val.(map[string][]byte) // nil where it failed
		return web, r.Err
	}
}

func (f *Files) load(ctx context.Context, one installed.Plugin) (map[string][]byte, error) {
	digest, archive, err := f.Archives.PluginArchive(ctx, one.Plugin.ID)
	if err != nil {
		return nil, err
	}
	files, err := plugin.ReadArchive(archive)
	if err != nil {
		return nil, err
	}
	if digest != one.Digest || files.Digest() != digest {
		return nil, errNoFile
	}
	found, err := files.Web()
	if err != nil {
		return nil, err
	}
	web := make(map[string][]byte, len(found))
	for name, data := range found {
		web[name] = append([]byte{}, data...) // not a part of the archive, which is let go of
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kept == nil || len(f.kept) >= keptMost {
		f.kept = map[string]map[string][]byte{}
	}
	f.kept[digest] = web
	return web, nil
}

// hostForm is a host that can be named in a policy. An IPv6 address cannot: a panel that is opened by one has a document and nothing else.
var hostForm = regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]{1,5})?$`)

// protect sets the headers of every answer. The frame has no origin, so its scripts and fonts need Access-Control-Allow-Origin; any holder of
// the address may read the file anyway.
func protect(h http.Header, host, token string) {
	own := "'none'"
	if hostForm.MatchString(host) && tokenForm.MatchString(token) {
		own = host + weblink.Prefix + token + "/"
	}
	h.Set("Content-Security-Policy", "sandbox allow-scripts; default-src 'none'; script-src "+own+"; style-src "+own+" 'unsafe-inline'; img-src "+own+" data:; font-src "+own+
		"; connect-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // the address is a key
	h.Set("X-DNS-Prefetch-Control", "off")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), clipboard-read=(), clipboard-write=(), fullscreen=()")
	h.Del("X-Frame-Options") // frame-ancestors decides who may
}

var tokenForm = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// refuse answers with a plain sentence.
func (f *Files) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status, says := http.StatusServiceUnavailable, "The files of this panel cannot be had at the moment."
	switch fault.KindOf(err) {
	case fault.NotFound, fault.Denied:
		status, says = http.StatusNotFound, err.Error()
	default:
		if r.Context().Err() == nil {
			f.Log.Warn("a file of a panel could not be served", "error", err)
		}
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(says + "\n")) // the client is gone if this fails
}
