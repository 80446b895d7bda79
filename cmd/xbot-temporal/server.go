package main

import (
	"fmt"
	"net"
	"strconv"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
)

const (
	clusterName = "active"
	// historyShards is fixed when the databases are made (facts: 4 suffice for one machine); a persisted number wins.
	historyShards = 4
)

// newServer prepares the four Temporal services, which talk to each other over addrs.
func newServer(opts *options, addrs addresses, certs certificates, logger log.Logger) (temporal.Server, error) {
	cfg := serverConfig(opts, addrs)
	server, err := temporal.NewServer(
		temporal.WithConfig(cfg),
		temporal.ForServices(temporal.DefaultServices),
		// Static hosts replace the gossip ring, which would listen on additional ports.
		temporal.WithStaticHosts(addrs.hosts()),
		temporal.WithDynamicConfigClient(tuning),
		temporal.WithTLSConfigFactory(certs.provider()),
		temporal.WithLogger(logger),
		// Every client certificate allows everything; there are no roles below that.
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
	)
	if err != nil {
		return nil, fmt.Errorf("prepare the Temporal server: %w", err)
	}
	return server, nil
}

func serverConfig(opts *options, addrs addresses) *config.Config {
	cfg := &config.Config{
		Persistence: persistenceConfig(opts.Postgres),
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        clusterName,
			CurrentClusterName:       clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: addrs.reachable()},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services:            addrs.services(),
		PublicClient:        config.PublicClient{HostPort: addrs.reachable()},
		Archival: config.Archival{
			History:    config.HistoryArchival{State: config.ArchivalDisabled},
			Visibility: config.VisibilityArchival{State: config.ArchivalDisabled},
		},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: config.ArchivalDisabled},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: config.ArchivalDisabled},
		}},
	}
	cfg.Global.Membership = config.Membership{MaxJoinDuration: 10 * time.Second, BroadcastAddress: "127.0.0.1"}
	if opts.MetricsAddr != "" {
		cfg.Global.Metrics = &metrics.Config{Prometheus: &metrics.PrometheusConfig{
			Framework:     metrics.FrameworkOpentelemetry,
			ListenAddress: opts.MetricsAddr,
			HandlerPath:   "/metrics",
		}}
	}
	if opts.PprofAddr != "" {
		host, port := splitAddress(opts.PprofAddr)
		cfg.Global.PProf = config.PProf{Host: host, Port: port}
	}
	return cfg
}

// services returns where each Temporal service listens.
func (a addresses) services() map[string]config.Service {
	services := make(map[string]config.Service, len(a))
	for name, addr := range a {
		host, port := splitAddress(addr)
		services[string(name)] = config.Service{RPC: config.RPC{BindOnIP: host, GRPCPort: port}}
	}
	return services
}

// hosts returns where each Temporal service finds the others.
func (a addresses) hosts() map[primitives.ServiceName]static.Hosts {
	hosts := make(map[primitives.ServiceName]static.Hosts, len(a))
	for name, addr := range a {
		hosts[name] = static.SingleLocalHost(addr)
	}
	hosts[primitives.FrontendService] = static.SingleLocalHost(a.reachable())
	return hosts
}

// splitAddress takes an address apart that complete or freeAddress has checked.
func splitAddress(addr string) (host string, port int) {
	host, text, err := net.SplitHostPort(addr)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	if err != nil {
		panic(fmt.Sprintf("address %q was not checked: %v", addr, err))
	}
	return host, port
}
