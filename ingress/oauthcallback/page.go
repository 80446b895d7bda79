package oauthcallback

import (
	"bytes"
	"html/template"
	"net/http"
)

// page is the data of a page that a browser shows during a sign-in. It has no script.
type page struct {
	Lang   string
	Title  string
	Lines  []string
	Button string // sends the form; empty: there is none
	Link   string // leads to the page; empty: nothing does
}

var layout = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="{{.Lang}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}} · xbot</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; display: grid; place-items: center; min-height: 100vh; background: light-dark(#f6f6f7, #17181a); color: light-dark(#1b1c1e, #ececee); }
main { box-sizing: border-box; width: min(32rem, 100%); padding: 2rem 1.25rem; overflow-wrap: anywhere; }
h1 { font-size: 1.375rem; line-height: 1.3; }
button { font: inherit; font-weight: 600; padding: .625rem 1.25rem; min-height: 2.75rem; border: 0; border-radius: .5rem; background: #1f5fd6; color: #fff; cursor: pointer; }
a { color: light-dark(#1a53bd, #8ab4ff); }
:focus-visible { outline: 3px solid light-dark(#1f5fd6, #8ab4ff); outline-offset: 2px; }
</style>
</head>
<body>
<main>
<h1>{{.Title}}</h1>
{{range .Lines}}<p>{{.}}</p>
{{end}}{{if .Button}}<form method="post"><button type="submit">{{.Button}}</button></form>
{{end}}{{if .Link}}<p><a href="/settings/accounts">{{.Link}}</a></p>
{{end}}</main>
</body>
</html>
`))

// show answers with a page.
func show(w http.ResponseWriter, status int, p page) {
	var body bytes.Buffer
	if err := layout.Execute(&body, p); err != nil {
		panic(err) // texts always fit
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin") // the form sends its origin
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the browser is gone if this fails
}
