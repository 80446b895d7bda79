package main

import (
	"context"
	"encoding/base64"
	"net/http"

	"xbot/ingress"
	"xbot/ingress/inside"
	"xbot/internal/channel/held"
	"xbot/internal/chat"
	"xbot/internal/config"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/secret"
)

// internalKey is what the processes of one server show one another.
func (p *parts) internalKey() string { return internalKey(p.key) }

func internalKey(key secret.Key) string {
	return base64.RawURLEncoding.EncodeToString(key.Derive("internal endpoint"))
}

// internal serves the other processes of this server.
func (in *ingressPart) internal() (http.Handler, error) {
	sockets, err := in.hub.Internal(in.internalKey())
	if err != nil {
		return nil, err
	}
	connections, err := inside.Guard(in.internalKey(), held.Handler(in.channels))
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/internal/runners/", sockets)
	mux.Handle(held.Path, connections)
	return mux, nil
}

// newResolver decides where commands run. local holds sockets in this process; nil in one that holds none.
func (p *parts) newResolver(local sandbox.Local, cfg config.Runner, docker resolver.Docker) *resolver.Resolver {
	router := sandbox.NewRouter(sandbox.RouterConfig{
		Local: local, Holders: ingress.Registry{Store: p.store}, Key: p.internalKey(), Kills: kills{p.store},
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
