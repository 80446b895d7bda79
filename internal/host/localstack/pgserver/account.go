package pgserver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// Account is the user a server runs as and its files belong to. Postgres refuses to run as root.
type Account struct {
	UID, GID int
	// Other is set when it is not this process's own user, which only root can have.
	Other bool
}

// AccountFor chooses the account for the data folder. An ordinary user serves as itself. Root serves as the owner of
// existing data, else as user "postgres", else as user "nobody".
func AccountFor(data string) (Account, error) {
	own := Account{UID: os.Geteuid(), GID: os.Getegid()}
	owner, err := ownerOf(data)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Account{}, fmt.Errorf("look at the Postgres data: %w", err)
	}
	exists := err == nil
	switch {
	case own.UID != 0 && exists && owner.UID != own.UID:
		return Account{}, fmt.Errorf("the Postgres data in %s belongs to user id %d; run as the user that made it (root, if it was made by root), or choose another XBOT_HOME", data, owner.UID)
	case own.UID != 0:
		return own, nil
	case exists && owner.UID != 0:
		return Account{UID: owner.UID, GID: owner.GID, Other: true}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if account, err := lookUp(name); err == nil {
			return account, nil
		}
	}
	return Account{}, errors.New("a Postgres server does not run as root, and this machine has neither a user postgres nor nobody to run it as; add one, or run xbot as an ordinary user")
}

func lookUp(name string) (Account, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return Account{}, err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return Account{}, err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return Account{}, err
	}
	return Account{UID: uid, GID: gid, Other: true}, nil
}

func ownerOf(path string) (Account, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Account{}, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Account{}, fmt.Errorf("this system does not tell who owns %s", path)
	}
	return Account{UID: int(stat.Uid), GID: int(stat.Gid)}, nil
}

// own gives a file or folder to the account.
func (a Account) own(path string) error {
	if !a.Other {
		return nil
	}
	return os.Chown(path, a.UID, a.GID)
}

// run makes cmd run as the account.
func (a Account) run(cmd *exec.Cmd) {
	if !a.Other {
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{
		Uid: uint32(a.UID), Gid: uint32(a.GID), Groups: []uint32{uint32(a.GID)},
	}}
}

// PrivateDir makes dir, or checks an existing one: a real folder of the account that no other account may enter.
func (a Account) PrivateDir(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		return a.own(dir)
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(stat.Uid) != a.UID || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s exists but is not a private folder of user id %d; remove it", dir, a.UID)
	}
	return nil
}
