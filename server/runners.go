package server

import (
	"context"
	"encoding/base64"
	"net/http"

	"xbot/ingress"
	"xbot/ingress/inside"
	"xbot/internal/channel/remote"
	"xbot/internal/chat"
	"xbot/internal/config"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/secret"
)

// internalKey is what the processes of one server show one another.
func (p *parts) internalKey() string { return InternalKey(p.key) }

// internalKeys are what is accepted of them: while the key is changed, that of before, too.
func (p *parts) internalKeys() (keys []string) {
	for _, key := range p.key.Keys() {
		keys = append(keys, InternalKey(key))
	}
	return keys
}

// InternalKey is derived from the key of the installation.
func InternalKey(key secret.Deriver) string {
	return base64.RawURLEncoding.EncodeToString(key.Derive("internal endpoint"))
}

// internal serves the other processes of this server.
func (in *ingressPart) internal() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/internal/runners/", in.hub.Inner())
	mux.Handle(remote.Path, remote.Handler(in.channels))
	return inside.GuardAny(in.internalKeys, mux)
}

// newResolver decides where commands run. local holds sockets in this process; nil in one that holds none.
func (p *parts) newResolver(local sandbox.Local, cfg config.Runner, docker resolver.Docker) *resolver.Resolver {
	router := sandbox.NewRouter(sandbox.RouterConfig{
		Local: local, Holders: ingress.Registry{Store: p.store}, KeyNow: p.internalKey, Kills: kills{p.store},
	})
	p.resolver = resolver.New(resolver.Config{Choices: p.store, Router: router, Docker: docker, Wait: cfg.Wait})
	return p.resolver
}

// lateBoxes finds sandboxes once the process has made its resolver: the tools are listed before.
type lateBoxes struct{ *parts }

// Box is the resolver's.
func (l lateBoxes) Box(ctx context.Context, user chat.UserID, runner string) (sandbox.Sandbox, error) {
	return l.resolver.Box(ctx, user, runner)
}
