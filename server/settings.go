package server

import (
	"io"
	"net"
	"os"

	"xbot/internal/host/config"
	"xbot/internal/host/temporalclient"
	"xbot/internal/llm"
)

// settings are the groups that every process has.
type settings struct {
	config.Home
	config.Secrets
	config.Storage
	config.Telemetry
	config.Prompt
	config.Memory
	config.LLM
	config.Permissions
	config.Temporal

	version string
	process string    // such as "xbot serve"
	out     io.Writer // of the log
	dsn     string
	dial    temporalclient.Config
	model   llm.Client
	at      addresses // zero in a process that accepts no connections
	admin   string    // name of the first administrator
	copy    bool      // another xbot works with the original of the database
	// modelKeys reports that the keys of models are in the variables of this process.
	modelKeys bool
}

func ofServe(cfg config.Serve, version string, model llm.Client, servers *servers, l net.Listener, out io.Writer) settings {
	return settings{
		Home: cfg.Home, Secrets: cfg.Secrets, Storage: cfg.Storage, Telemetry: cfg.Telemetry, Prompt: cfg.Prompt, Memory: cfg.Memory, LLM: cfg.LLM, Permissions: cfg.Permissions, Temporal: cfg.Temporal,
		version: version, process: "xbot " + serveProcess, out: out, dsn: servers.dsn, dial: servers.temporal,
		model: model, at: addresses{cfg.HTTP, l}, admin: cfg.Admin, modelKeys: true, copy: cfg.IsCopy(),
	}
}

func ofIngress(cfg config.Ingress, version string, model llm.Client, l net.Listener) settings {
	return settings{
		Home: cfg.Home, Secrets: cfg.Secrets, Storage: cfg.Storage, Telemetry: cfg.Telemetry, Prompt: cfg.Prompt, Memory: cfg.Memory, LLM: cfg.LLM, Permissions: cfg.Permissions, Temporal: cfg.Temporal,
		version: version, process: "xbot ingress", out: os.Stderr, dsn: cfg.Database.URL, dial: temporalclient.Config{Address: cfg.Address, Namespace: cfg.Namespace},
		model: model, at: addresses{cfg.HTTP, l}, admin: cfg.Admin, copy: cfg.IsCopy(),
	}
}

func ofWorker(cfg config.Worker, version string, model llm.Client) settings {
	return settings{
		Home: cfg.Home, Secrets: cfg.Secrets, Storage: cfg.Storage, Telemetry: cfg.Telemetry, Prompt: cfg.Prompt, Memory: cfg.Memory, LLM: cfg.LLM, Permissions: cfg.Permissions, Temporal: cfg.Temporal,
		at:      addresses{http: config.HTTP{URL: cfg.PublicURL}},
		version: version, process: "xbot worker", out: os.Stderr, dsn: cfg.Database.URL, dial: temporalclient.Config{Address: cfg.Address, Namespace: cfg.Namespace},
		model: model, modelKeys: true, copy: cfg.IsCopy(),
	}
}
