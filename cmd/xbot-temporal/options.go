package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// passwordVariable holds the Postgres password. There is no flag for it: other users can read argument lists.
const passwordVariable = "XBOT_TEMPORAL_POSTGRES_PASSWORD"

// options are the flags and their environment variables.
type options struct {
	Postgres postgresOptions `embed:"" prefix:"postgres-" envprefix:"XBOT_TEMPORAL_POSTGRES_"`

	GRPCAddr    string `name:"grpc-addr" env:"XBOT_TEMPORAL_GRPC_ADDR" default:"127.0.0.1:7233" help:"Address of the frontend (gRPC); port 0: any free port."`
	UIAddr      string `name:"ui-addr" env:"XBOT_TEMPORAL_UI_ADDR" default:"127.0.0.1:8233" help:"Address of the UI; port 0: any free port; 'off': no UI."`
	UIPath      string `name:"ui-path" env:"XBOT_TEMPORAL_UI_PATH" default:"/temporal" help:"Path prefix under which a proxy serves the UI."`
	UITokenFile string `name:"ui-token-file" env:"XBOT_TEMPORAL_UI_TOKEN_FILE" help:"File with the secret that every UI request must carry in the header X-Xbot-Ui-Token."`
	TLSDir      string `name:"tls-dir" env:"XBOT_TEMPORAL_TLS_DIR" help:"Folder with ca.pem, server.pem, server-key.pem, client.pem and client-key.pem. Clients then need a certificate; without the folder gRPC has no TLS."`

	Namespace string        `name:"namespace" env:"XBOT_TEMPORAL_NAMESPACE" default:"default" help:"Namespace to register."`
	Retention time.Duration `name:"retention" env:"XBOT_TEMPORAL_RETENTION" default:"720h" help:"Retention of closed executions in the namespace; at least 1h."`

	MetricsAddr string `name:"metrics-addr" env:"XBOT_TEMPORAL_METRICS_ADDR" help:"Address that serves Prometheus metrics; empty: off."`
	PprofAddr   string `name:"pprof-addr" env:"XBOT_TEMPORAL_PPROF_ADDR" help:"Address that serves pprof, on loopback only; empty: off."`
	LogLevel    string `name:"log-level" env:"XBOT_TEMPORAL_LOG_LEVEL" enum:"debug,info,warn,error" default:"warn" help:"Log level: debug, info, warn or error."`

	DieWithParent bool   `name:"die-with-parent" env:"XBOT_TEMPORAL_DIE_WITH_PARENT" help:"Stop when standard input ends, as it does when the parent process dies."`
	LockFile      string `name:"lock-file" env:"XBOT_TEMPORAL_LOCK_FILE" help:"File that is locked while the server runs; it has the pid and, once ready, the addresses."`
	Label         string `name:"label" env:"XBOT_TEMPORAL_LABEL" help:"Text to repeat in the lock file, so that a supervisor recognizes this process."`

	Version kong.VersionFlag `name:"version" help:"Print the version and exit."`
}

// postgresOptions say how to reach the database server.
type postgresOptions struct {
	Host         string        `name:"host" env:"HOST" default:"127.0.0.1" help:"Host name, or the folder of a Unix socket, which begins with a slash."`
	Port         int           `name:"port" env:"PORT" default:"5432" help:"Port, also part of the name of a Unix socket."`
	User         string        `name:"user" env:"USER" default:"xbot_temporal" help:"Role; it needs CREATEDB unless both databases exist."`
	PasswordFile string        `name:"password-file" env:"PASSWORD_FILE" help:"File with the password; default: the variable XBOT_TEMPORAL_POSTGRES_PASSWORD."`
	SSLMode      string        `name:"sslmode" env:"SSLMODE" enum:"disable,allow,prefer,require,verify-ca,verify-full" default:"prefer" help:"TLS to Postgres, like libpq's sslmode; not used on a Unix socket."`
	Database     string        `name:"database" env:"DATABASE" default:"xbot_temporal" help:"Main database."`
	Visibility   string        `name:"visibility-database" env:"VISIBILITY_DATABASE" default:"xbot_temporal_visibility" help:"Visibility database."`
	Wait         time.Duration `name:"wait" env:"WAIT" default:"30s" help:"How long to wait for Postgres at start."`

	password string
}

// databaseName is what CREATE DATABASE may be given: the schema tools quote it themselves, without escaping.
var databaseName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// complete checks the options and reads the secrets they name. getenv is os.Getenv outside tests.
func (o *options) complete(getenv func(string) string) error {
	if err := o.Postgres.complete(getenv); err != nil {
		return err
	}
	if err := o.checkAddresses(); err != nil {
		return err
	}
	if o.Retention < time.Hour {
		return fmt.Errorf("--retention is %s; the server keeps executions at least 1h", o.Retention)
	}
	if o.UIPath != "" && (!strings.HasPrefix(o.UIPath, "/") || strings.HasSuffix(o.UIPath, "/")) {
		return fmt.Errorf("--ui-path is %q; write it with a leading slash and without a trailing one, such as /temporal", o.UIPath)
	}
	if o.hasUI() && o.UITokenFile == "" {
		return errors.New("the UI needs --ui-token-file, since whoever reaches it can read and end every workflow; or set --ui-addr=off")
	}
	return nil
}

func (p *postgresOptions) complete(getenv func(string) string) error {
	for flag, name := range map[string]string{"database": p.Database, "visibility-database": p.Visibility} {
		if !databaseName.MatchString(name) {
			return fmt.Errorf("--postgres-%s is %q; use at most 63 lower-case letters, digits and underscores", flag, name)
		}
	}
	if p.Database == p.Visibility {
		return fmt.Errorf("--postgres-database and --postgres-visibility-database are both %q; use two databases", p.Database)
	}
	if p.Port < 1 || p.Port > 65535 {
		return fmt.Errorf("--postgres-port is %d; use a number from 1 to 65535", p.Port)
	}
	p.password = getenv(passwordVariable)
	if p.PasswordFile == "" {
		return nil
	}
	secret, err := readSecret(p.PasswordFile)
	if err != nil {
		return fmt.Errorf("read --postgres-password-file: %w", err)
	}
	p.password = secret
	return nil
}

func (o *options) checkAddresses() error {
	loopback, err := checkAddress("--grpc-addr", o.GRPCAddr)
	if err != nil {
		return err
	}
	if !loopback && o.TLSDir == "" {
		return fmt.Errorf("--grpc-addr is %s, which others can reach; set --tls-dir, so that clients need a certificate, or listen on 127.0.0.1", o.GRPCAddr)
	}
	if o.hasUI() {
		if _, err := checkAddress("--ui-addr", o.UIAddr); err != nil {
			return err
		}
	}
	if o.MetricsAddr != "" {
		if _, err := checkAddress("--metrics-addr", o.MetricsAddr); err != nil {
			return err
		}
	}
	if o.PprofAddr == "" {
		return nil
	}
	loopback, err = checkAddress("--pprof-addr", o.PprofAddr)
	if err == nil && !loopback {
		err = fmt.Errorf("--pprof-addr is %s; pprof has no login, so it listens on loopback only", o.PprofAddr)
	}
	return err
}

// checkAddress reports whether addr, an IP address with a port, is a loopback address.
func checkAddress(flag, addr string) (loopback bool, err error) {
	host, port, err := net.SplitHostPort(addr)
	ip := net.ParseIP(host)
	if err != nil || ip == nil {
		return false, fmt.Errorf("%s is %q; write an IP address and a port, such as 127.0.0.1:7233", flag, addr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return false, fmt.Errorf("%s is %q; the port has to be a number from 0 to 65535", flag, addr)
	}
	return ip.IsLoopback(), nil
}

func (o *options) hasUI() bool { return o.UIAddr != "off" }

func (o *options) level() slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.LogLevel)); err != nil {
		return slog.LevelWarn // kong has checked the word already
	}
	return level
}

// readSecret returns the file's text without the newline that editors add. An empty file is an error.
func readSecret(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return secret, nil
}
