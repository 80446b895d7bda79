package pgserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// BinariesVariable names the folder of initdb and postgres when they are not where they usually are.
const BinariesVariable = "XBOT_POSTGRES_BIN"

// oldestMajor is the oldest PostgreSQL with all features of the schema: UNIQUE NULLS NOT DISTINCT needs 15.
const oldestMajor = 15

// folders are the folders where packages put the server's programs, which distributions keep off PATH.
var folders = []string{
	"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
	"/usr/pgsql-*/bin",                   // the PostgreSQL project's RPMs
	"/usr/libexec/postgresql*",           // Alpine
	"/opt/homebrew/opt/postgresql@*/bin", // Homebrew on Apple silicon
	"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel
	"/Applications/Postgres.app/Contents/Versions/*/bin",
	"/usr/local/pgsql/bin", // built from source
}

// Binaries are a PostgreSQL installation.
type Binaries struct {
	Dir   string // folder of initdb and postgres
	Major int    // such as 17
}

func (b Binaries) program(name string) string { return filepath.Join(b.Dir, name) }

// Find looks for server binaries of the given major version, or of the newest when major is 0. explicit is the
// folder to use instead of looking; when it is empty, XBOT_POSTGRES_BIN may name one.
func Find(ctx context.Context, explicit string, major int) (Binaries, error) {
	if dir := cmp.Or(explicit, os.Getenv(BinariesVariable)); dir != "" {
		found, err := inspect(ctx, dir)
		if err != nil {
			return Binaries{}, fmt.Errorf("%s (from %s) holds no PostgreSQL server; point it at the folder of initdb and postgres: %w", dir, BinariesVariable, err)
		}
		return found, found.fits(major)
	}
	var newest Binaries
	for _, dir := range candidates() {
		b, err := inspect(ctx, dir)
		if err != nil {
			continue
		}
		if b.Major == major {
			return b, nil
		}
		if b.Major > newest.Major {
			newest = b
		}
	}
	if newest.Major == 0 {
		return Binaries{}, fmt.Errorf("no PostgreSQL server was found; install one (Debian and Ubuntu: apt install postgresql; macOS: brew install postgresql@17), or name the folder of initdb and postgres in %s", BinariesVariable)
	}
	return newest, newest.fits(major)
}

// fits explains in one sentence why data of the wanted major version cannot be served by b; 0 means new data.
func (b Binaries) fits(wanted int) error {
	switch {
	case wanted == 0 && b.Major < oldestMajor:
		return fmt.Errorf("the newest PostgreSQL found, %d in %s, is too old; install version %d or newer, or name its folder in %s", b.Major, b.Dir, oldestMajor, BinariesVariable)
	case wanted == 0 || wanted == b.Major:
		return nil
	case wanted > b.Major:
		return fmt.Errorf("the data was made by PostgreSQL %d, but the newest server found is %d in %s; install version %d, or name its folder in %s", wanted, b.Major, b.Dir, wanted, BinariesVariable)
	}
	return fmt.Errorf("the data was made by PostgreSQL %d, but the server found is %d in %s; install version %d next to it, or move the data over with pg_upgrade", wanted, b.Major, b.Dir, wanted)
}

// candidates lists folders to look into, those of PATH first.
func candidates() []string {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for _, pattern := range folders {
		// The patterns are constants, so the only possible error, a malformed one, cannot happen.
		matches, _ := filepath.Glob(pattern)
		dirs = append(dirs, matches...)
	}
	return dirs
}

// version matches what postgres --version prints, such as "postgres (PostgreSQL) 17.2".
var version = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// inspect asks the postgres in dir for its version.
func inspect(ctx context.Context, dir string) (Binaries, error) {
	// Homebrew and PATH entries are symbolic links; postgres finds its libraries from the real place.
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Binaries{}, err
	}
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return Binaries{}, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return Binaries{}, fmt.Errorf("ask %s for its version: %w", filepath.Join(dir, "postgres"), err)
	}
	match := version.FindSubmatch(out)
	if match == nil {
		return Binaries{}, errors.New("postgres --version answers " + strconv.Quote(strings.TrimSpace(string(out))))
	}
	major, err := strconv.Atoi(string(match[1]))
	if err != nil {
		return Binaries{}, fmt.Errorf("read the version of %s: %w", dir, err)
	}
	return Binaries{Dir: dir, Major: major}, nil
}
