package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/csrf"
	"github.com/temporalio/ui-server/v2/server/route"
	"github.com/temporalio/ui-server/v2/ui"
)

// tokenHeader carries the secret that lets a request through to the UI. The ingress adds it after its own login;
// it never reaches a browser.
const tokenHeader = "X-Xbot-Ui-Token"

// webUI is the Temporal UI behind a check of the token.
type webUI struct {
	listener net.Listener
	token    string
	server   http.Server
}

// listenUI takes the UI's address now, so that a port in use is found before anything else starts.
// It returns nil when the UI is off.
func listenUI(opts *options) (*webUI, error) {
	if !opts.hasUI() {
		return nil, nil
	}
	token, err := readSecret(opts.UITokenFile)
	if err != nil {
		return nil, fmt.Errorf("read --ui-token-file: %w", err)
	}
	addr, err := settle("--ui-addr", opts.UIAddr)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, listenError("--ui-addr", addr, err)
	}
	return &webUI{listener: listener, token: token}, nil
}

// addr returns where the UI listens; "" for none.
func (u *webUI) addr() string {
	if u == nil {
		return ""
	}
	return u.listener.Addr().String()
}

// serve answers requests with the UI of the server at frontend, until close.
func (u *webUI) serve(opts *options, frontend string, certs certificates, logger *logger) error {
	if u == nil {
		return nil
	}
	pages, err := uiHandler(opts, frontend, certs)
	if err != nil {
		return err
	}
	u.server.Handler = requireToken(u.token, pages)
	u.server.ReadHeaderTimeout = 10 * time.Second
	go func() {
		if err := u.server.Serve(u.listener); !errors.Is(err, http.ErrServerClosed) {
			logger.slog.Error("the UI stopped serving", "error", err)
		}
	}()
	return nil
}

// close gives running requests a moment to end.
func (u *webUI) close(ctx context.Context) error {
	if u == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := u.server.Shutdown(ctx); err != nil {
		return u.server.Close()
	}
	return nil
}

// requireToken answers 401 to requests without the secret and hides it from what lies behind.
// Hashing both sides makes the comparison's time independent of the length, too.
func requireToken(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.Sum256([]byte(r.Header.Get(tokenHeader)))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			http.Error(w, "The Temporal UI is reached through xbot, after signing in there.", http.StatusUnauthorized)
			return
		}
		r.Header.Del(tokenHeader)
		next.ServeHTTP(w, r)
	})
}

// uiHandler assembles the UI from its parts: its own server type only listens, without a check in front.
// CORS is left out, since one origin serves everything, and so are its login routes: ours is in the ingress.
func uiHandler(opts *options, frontend string, certs certificates) (http.Handler, error) {
	cfg, err := config.NewConfigProviderWithRefresh(&config.Config{
		TemporalGRPCAddress: frontend,
		PublicPath:          opts.UIPath,
		EnableUI:            true,
		DefaultNamespace:    opts.Namespace,
		DisableNewsFetch:    true,
		TLS:                 certs.forUI(),
	})
	if err != nil {
		return nil, fmt.Errorf("configure the UI: %w", err)
	}
	assets, err := ui.Assets()
	if err == nil {
		assets, err = fs.Sub(assets, "local")
	}
	if err != nil {
		return nil, fmt.Errorf("open the UI's files: %w", err)
	}

	// Whether the browser's connection is secure is known to the proxy in front only, so the cookie must not insist.
	const secureCookie = false
	e := echo.New()
	e.Use(middleware.Recover(), middleware.Gzip(), middleware.Secure())
	e.Use(csrf.EnsureTokenCookie(secureCookie), middleware.CSRFWithConfig(csrf.MiddlewareConfig(cfg, secureCookie)))
	e.Pre(route.PublicPath(opts.UIPath))
	route.SetHealthRoute(e)
	if err := route.SetAPIRoutes(e, cfg, nil); err != nil {
		return nil, fmt.Errorf("connect the UI to the server: %w", err)
	}
	if err := route.SetUIRoutes(e, opts.UIPath, assets); err != nil {
		return nil, fmt.Errorf("set up the UI's pages: %w", err)
	}
	route.SetRenderRoute(e, "/") // PublicPath has removed the prefix by then
	return withScriptPolicy(e, opts.UIPath)
}
