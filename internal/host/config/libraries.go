package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Library describes variables that a library, or a program that xbot starts, reads directly from the environment of the process.
type Library struct {
	Names  []string // NAME, or PREFIX* for all names that begin with PREFIX
	Reader string
	Effect string
}

// Libraries lists the libraries whose variables may be set in .env and config.json: SetLibraryVariables exports them.
var Libraries = []Library{
	{[]string{"OTEL_*"}, "OpenTelemetry SDK", "where and how traces are sent; OTEL_EXPORTER_OTLP_ENDPOINT turns them on"},
	{[]string{"TEMPORAL_*"}, "Temporal SDK", "TLS, API key, profile and metadata of the connection to Temporal"},
	{[]string{"PG*"}, "pgx", "what XBOT_DATABASE_URL does not say, such as PGPASSFILE and PGSSLROOTCERT"},
	{[]string{"SSL_CERT_FILE", "SSL_CERT_DIR"}, "Go", "certificate authorities that are trusted in place of those of the system"},
	{[]string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"}, "Go", "proxy of calls to models, platforms, Temporal and collectors; never of calls between processes of xbot, nor of tools"},
	{[]string{"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"}, "docker", "container engine of the containers of users"},
	{[]string{"TZ", "TMPDIR"}, "Go", "time zone of logs and of jobs without one; folder of temporary files"},
	{[]string{"XBOT_TEMPORAL_BIN", "XBOT_TEMPORAL_RETENTION"}, "xbot serve, xbot-temporal", "path of xbot-temporal; how long it keeps closed runs"},
}

// environmentOnly are variables that act before any file can be read.
var environmentOnly = []string{"GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GODEBUG", "GOTRACEBACK", "PATH", "HOME", "XDG_RUNTIME_DIR"}

// SetLibraryVariables sets the variables of libraries from .env or config.json that the environment lacks, with set, such as os.Setenv.
// A process calls it before a library reads them.
func SetLibraryVariables(environ []string, set func(name, value string) error) error {
	values, err := Variables(environ)
	if err != nil {
		return err
	}
	given := env.ToMap(environ)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if given[name] != "" || values[name] == "" || !ofLibrary(name) {
			continue
		}
		if err := set(name, values[name]); err != nil {
			return err
		}
	}
	return nil
}

// EnvironmentOnly returns the variables of .env that have no effect there, sorted.
func EnvironmentOnly(environ []string) ([]string, error) {
	values, err := Variables(environ)
	if err != nil {
		return nil, err
	}
	given := env.ToMap(environ)
	maps.DeleteFunc(values, func(name, _ string) bool { return given[name] != "" || !slices.Contains(environmentOnly, name) })
	return slices.Sorted(maps.Keys(values)), nil
}

// accepted reports whether a variable may be set in a settings file.
func accepted(name string) bool {
	_, file := secretOfFile(name)
	return known(name) || ofLibrary(name) || file
}

// ofLibrary reports whether a library reads the variable.
func ofLibrary(name string) bool {
	return slices.ContainsFunc(Libraries, func(l Library) bool {
		return slices.ContainsFunc(l.Names, func(pattern string) bool {
			prefix, all := strings.CutSuffix(pattern, "*")
			return name == pattern || all && strings.HasPrefix(name, prefix)
		})
	})
}
