package localstack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"xbot/internal/host/localstack/pgserver"
	"xbot/internal/host/localstack/process"
)

const (
	adminRole       = "xbot_admin" // owns the cluster; for operators only
	productRole     = "xbot"
	productDatabase = "xbot"
	temporalRole    = "xbot_temporal" // makes its databases itself
)

// postgres is the database server of a home.
type postgres struct {
	cluster pgserver.Cluster
	exists  bool // the data does
	home    home
	follow  bool
}

func newPostgres(ctx context.Context, cfg Config, h home) (*postgres, error) {
	cluster, exists, err := pgserver.Open(ctx, h.path("postgres"), cfg.PostgresBin)
	if err != nil {
		return nil, err
	}
	p := &postgres{cluster: cluster, exists: exists, home: h, follow: cfg.ParentDeath}
	p.cluster.Socket = p.chooseSocket()
	return p, nil
}

func (p *postgres) name() string { return "postgres" }

// run makes the data if there is none, takes over a server that is running on it, or starts one.
func (p *postgres) run(ctx context.Context) (*process.Process, error) {
	if err := p.create(ctx); err != nil {
		return nil, err
	}
	running, err := p.takeOver(ctx)
	if err != nil || running != nil {
		return running, err
	}
	server, err := p.launch(ctx)
	if err == nil || ctx.Err() != nil {
		return server, err
	}
	// A killed owner's server that had not made itself known yet may have been faster.
	if running, takeOverErr := p.takeOver(ctx); takeOverErr == nil && running != nil {
		return running, nil
	}
	return nil, err
}

// takeOver returns a running server if it may stay, and stops it if not.
func (p *postgres) takeOver(ctx context.Context) (*process.Process, error) {
	running, err := p.cluster.Running(ctx)
	if err != nil {
		return nil, err
	}
	changed, err := p.cluster.Configure(p.settings(), hostBasedAccess)
	if err != nil || running == nil {
		return nil, err
	}
	if err := running.Wake(); err != nil {
		return nil, err
	}
	if changed || p.follow || p.cluster.State() == "stopping" {
		return nil, pgserver.Stop(ctx, running)
	}
	return running, p.await(ctx, running)
}

func (p *postgres) launch(ctx context.Context) (*process.Process, error) {
	if err := p.makeSocketDir(); err != nil {
		return nil, err
	}
	if err := trimLog(p.logFile()); err != nil {
		return nil, err
	}
	server, err := p.cluster.Start(p.logFile(), p.follow)
	if err != nil {
		return nil, err
	}
	if err := p.await(ctx, server); err != nil {
		// A server that hangs in its start must not stay.
		return nil, errors.Join(err, pgserver.Stop(context.WithoutCancel(ctx), server))
	}
	return server, nil
}

func (p *postgres) await(ctx context.Context, server *process.Process) error {
	password, err := p.home.readSecret(productPassword)
	if err != nil {
		return fmt.Errorf("open the product's database: %w", err)
	}
	return pgserver.Await(ctx, server, databaseURL(productRole, password, productDatabase, p.cluster.Socket), p.logFile())
}

func (p *postgres) end(ctx context.Context, server *process.Process) error {
	if err := pgserver.Stop(ctx, server); err != nil {
		return err
	}
	if p.cluster.Socket == p.cluster.Data {
		return nil
	}
	if err := os.RemoveAll(p.cluster.Socket); err != nil {
		return fmt.Errorf("remove the folder of the Postgres socket: %w", err)
	}
	return nil
}

func (p *postgres) logFile() string { return p.home.run("postgres.log") }

// create makes the cluster with its roles and the product's database. The passwords are kept first, so that there is
// never data without them.
func (p *postgres) create(ctx context.Context) error {
	if p.exists {
		return nil
	}
	var statements []string
	for _, role := range []struct{ name, secret, create string }{
		{adminRole, adminPassword, "ALTER ROLE"},
		{productRole, productPassword, "CREATE ROLE"},
		{temporalRole, temporalPassword, "CREATE ROLE"},
	} {
		password, err := p.home.keepSecret(role.secret)
		if err != nil {
			return err
		}
		statements = append(statements, fmt.Sprintf("%s %s LOGIN PASSWORD '%s';", role.create, role.name, password))
	}
	statements = append(statements,
		fmt.Sprintf("ALTER ROLE %s CREATEDB;", temporalRole),
		fmt.Sprintf("CREATE DATABASE %s OWNER %s;", productDatabase, productRole),
		// Each role keeps to its own databases.
		fmt.Sprintf("REVOKE CONNECT ON DATABASE %s FROM PUBLIC;", productDatabase),
	)
	if err := p.cluster.Create(ctx, pgserver.Recipe{Superuser: adminRole, Statements: statements}); err != nil {
		return err
	}
	p.exists = true
	return nil
}

// hostBasedAccess admits only clients that can reach the socket and know a password. The password
// matters, too: a sandboxed command of the same user can reach a socket whose folder it cannot read.
const hostBasedAccess = `# Written by xbot at each start.
local all all scram-sha-256
`

// settings is postgresql.conf for one machine that shares its memory with much else.
func (p *postgres) settings() string {
	socket := p.cluster.Socket
	if socket == p.cluster.Data {
		socket = "." // the server may not be allowed to walk to its own data by name
	}
	return strings.Join([]string{
		"# Written by xbot at each start; put settings of your own into local.conf beside this file.",
		"listen_addresses = ''",
		"unix_socket_directories = '" + strings.ReplaceAll(socket, "'", "''") + "'",
		"unix_socket_permissions = 0700",
		fmt.Sprintf("port = %d", pgserver.Port),
		"password_encryption = 'scram-sha-256'",
		"max_connections = 200",
		"shared_buffers = '32MB'",
		"effective_cache_size = '1GB'",
		"wal_compression = on",
		"max_wal_size = '512MB'", // bounds the replay after a crash to about a second
		"jit = off",              // pays for analytical queries only
		"timezone = 'UTC'",
		"log_timezone = 'UTC'",
		"log_checkpoints = off",
		"log_connections = off",
		// Statements and details hold what people wrote.
		"log_error_verbosity = terse",
		"log_min_error_statement = panic",
		"include_if_exists = 'local.conf'",
	}, "\n") + "\n"
}

// chooseSocket prefers the data folder, which is private already. A path too long for a socket gets a short folder.
func (p *postgres) chooseSocket() string {
	if pgserver.SocketFits(p.cluster.Data) {
		return p.cluster.Data
	}
	sum := sha256.Sum256([]byte(p.home))
	name := fmt.Sprintf("xbot-%d-%s", os.Geteuid(), hex.EncodeToString(sum[:6]))
	for _, base := range []string{runtimeDir(), os.TempDir()} {
		if base != "" && pgserver.SocketFits(filepath.Join(base, name)) {
			return filepath.Join(base, name)
		}
	}
	return filepath.Join("/tmp", name)
}

// runtimeDir returns the folder for sockets: /run for root, the session's folder for others, if there is one.
func runtimeDir() string {
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if os.Geteuid() == 0 {
		dir = "/run" // root's session folder is closed to the account that serves
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

func (p *postgres) makeSocketDir() error {
	if p.cluster.Socket == p.cluster.Data {
		return nil
	}
	if err := p.cluster.PrivateDir(p.cluster.Socket); err != nil {
		return fmt.Errorf("make the folder for the Postgres socket: %w", err)
	}
	return nil
}
