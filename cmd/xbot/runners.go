package main

import (
	"encoding/base64"

	"xbot/ingress"
	"xbot/internal/config"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
)

// internalKey is what the processes of one server show one another.
func (p *parts) internalKey() string {
	return base64.RawURLEncoding.EncodeToString(p.key.Derive("internal endpoint"))
}

// newResolver decides where commands run. local holds sockets in this process; nil in one that holds none.
func (p *parts) newResolver(local sandbox.Local, cfg config.Runner) *resolver.Resolver {
	router := sandbox.NewRouter(sandbox.RouterConfig{
		Local: local, Holders: ingress.Registry{Store: p.store}, Key: p.internalKey(), Kills: kills{p.store},
	})
	return resolver.New(resolver.Config{Choices: p.store, Router: router, Wait: cfg.Wait})
}
