package server

import (
	"encoding/base64"
	"net/http"

	"xbot/ingress/inside"
	"xbot/ingress/runners/manage"
	"xbot/internal/channel/remote"
	"xbot/internal/config"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/secret"
	"xbot/server/hostrunner"
)

// hostRunners are the runners that this process starts itself.
func (c *core) hostRunners() *hostrunner.Host {
	return &hostrunner.Host{Store: c.store, Log: c.log, DSN: c.dsn, Home: c.home, EnvFile: c.envFile, Admin: c.admin}
}

// internalKey is what the processes of one server show one another.
func (d *database) internalKey() string { return InternalKey(d.key) }

// internalKeys are what is accepted of them: while the key is changed, that of before, too.
func (d *database) internalKeys() (keys []string) {
	for _, key := range d.key.Keys() {
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
func (c *core) newResolver(local sandbox.Local, cfg config.Runner, docker resolver.Docker) *resolver.Resolver {
	router := sandbox.NewRouter(sandbox.RouterConfig{
		Local: local, Holders: manage.Registry{Store: c.store}, KeyNow: c.internalKey, Kills: manage.Kills{Store: c.store},
	})
	return resolver.New(resolver.Config{Choices: c.store, Router: router, Docker: docker, Wait: cfg.Wait})
}
