package server

import (
	"net/http"

	"xbot/ingress/inside"
	"xbot/ingress/runners/manage"
	"xbot/internal/channel/remote"
	"xbot/internal/config"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/server/hostrunner"
)

// hostRunners are the runners that this process starts itself.
func (c *core) hostRunners() *hostrunner.Host {
	return &hostrunner.Host{Store: c.store, Log: c.log, DSN: c.dsn, Home: c.home, EnvFile: c.envFile, Admin: c.admin}
}

// internalKeys are what this process accepts of others: while the key is changed, that of before, too.
func (d *database) internalKeys() (keys []string) {
	for _, key := range d.key.Keys() {
		keys = append(keys, key.InternalKey())
	}
	return keys
}

// internal serves the other processes of this server.
func (in *ingressPart) internal() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/internal/runners/", in.hub.Inner())
	mux.Handle(remote.Path, remote.Handler(in.channels))
	return inside.GuardAny(in.internalKeys, mux)
}

// newResolver decides where commands run. local holds sockets in this process; nil in one that holds none.
func (c *core) newResolver(local sandbox.Local, cfg config.Runner, docker resolver.Docker) *resolver.Resolver {
	router := sandbox.NewRouter(sandbox.RouterConfig{
		Local: local, Holders: manage.Registry{Store: c.store}, Key: c.key, Kills: manage.Kills{Store: c.store},
	})
	return resolver.New(resolver.Config{Choices: c.store, Router: router, Docker: docker, Wait: cfg.Wait})
}
