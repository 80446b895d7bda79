package web

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

// Policy is the Content-Security-Policy the page is built for: nothing from elsewhere, no inline script, no eval.
// Frames have panels of plugins, which cannot lead themselves elsewhere, and the one that draws diagrams.
// Styles need 'unsafe-inline' because Markdown tables and formulas carry style attributes.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self'; " +
	"font-src 'self'; connect-src 'self'; manifest-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// FramePolicy is the Content-Security-Policy of the frame that draws diagrams: an opaque origin, which loads nothing but its own scripts. Browsers
// that run it in a separate process keep the page responsive while it draws.
const FramePolicy = "sandbox allow-scripts; default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// framePage is the document of that frame.
const framePage = "diagram.html"

const notBuilt = "The page was not built: run make build.\n"

// sharedPath is where the page shows conversations to visitors with a link, whose token follows.
const sharedPath = "/shared/"

// wechatPath is where visitors of services would begin to talk on WeChat, which no service offers.
const wechatPath = "/wc/"

// Handler serves the page. A path of the page answers index.html; a missing file is a 404. Names under /assets/ carry a hash of their content and may be kept forever; all else is revalidated.
func Handler() http.Handler { return handler(Files()) }

func handler(files fs.FS) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "The page answers GET and HEAD only.", http.StatusMethodNotAllowed)
			return
		}
		serve(w, r, files)
	})
}

func serve(w http.ResponseWriter, r *http.Request, files fs.FS) {
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if strings.HasPrefix("/"+name+"/", ServicePath) || strings.HasPrefix("/"+name+"/", wechatPath) { // where visitors never see the page of the installation
		http.NotFound(w, r)
		return
	}
	if isPlace(name) {
		name = "index.html"
	}
	content, encoding, err := read(files, name, acceptsGzip(r))
	switch {
	case errors.Is(err, fs.ErrNotExist) && name == "index.html":
		http.Error(w, notBuilt, http.StatusServiceUnavailable)
		return
	case err != nil || hidden(name):
		http.NotFound(w, r)
		return
	}
	head := w.Header()
	head.Set("Content-Type", contentType(name))
	head.Set("Content-Security-Policy", Policy)
	if name == framePage {
		head.Set("Content-Security-Policy", FramePolicy)
		head.Del("X-Frame-Options") // frame-ancestors decides
	}
	if strings.HasPrefix(name, "assets/") {
		head.Set("Access-Control-Allow-Origin", "*") // the frame has no origin, and the files are public
	}
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "same-origin")
	if strings.HasPrefix(r.URL.Path, sharedPath) {
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("X-Robots-Tag", "noindex")
	}
	head.Set("Cache-Control", cacheControl(name))
	head.Add("Vary", "Accept-Encoding")
	if encoding != "" {
		head.Set("Content-Encoding", encoding)
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}

// isPlace says whether a path names a place inside the page rather than a file. Session keys, under /c/, may hold dots.
func isPlace(name string) bool {
	return path.Ext(name) == "" || strings.HasPrefix(name, "c/")
}

// read returns a file, in its precompressed form when there is one and the client takes it.
func read(files fs.FS, name string, gzip bool) (content []byte, encoding string, err error) {
	if gzip {
		if content, err = readAll(files, name+".gz"); err == nil {
			return content, "gzip", nil
		}
	}
	content, err = readAll(files, name)
	return content, "", err
}

func readAll(files fs.FS, name string) ([]byte, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// hidden keeps the build's own notes (.vite/manifest.json, .gitkeep) and what Service serves from visitors.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".gz") || name == servicePage || name == serviceEmbed
}

func cacheControl(name string) string {
	if strings.HasPrefix(name, "assets/") {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}

// contentType does not ask the system's table, which differs between machines.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	case ".json":
		return "application/json"
	case ".webmanifest":
		return "application/manifest+json"
	case ".png":
		return "image/png"
	}
	if known := mime.TypeByExtension(path.Ext(name)); known != "" {
		return known
	}
	return "application/octet-stream"
}

func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, quality, _ := strings.Cut(strings.TrimSpace(part), ";")
		if coding == "gzip" {
			return strings.ReplaceAll(quality, " ", "") != "q=0"
		}
	}
	return false
}
