package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"xbot/runner/confine"
	"xbot/runner/wire"
)

// The names in a job's folder.
const (
	CommandFile = "command"
	LockFile    = "lock"
	StartedFile = "started"
	KillFile    = "kill"
	OutputFile  = "output"
	StatusFile  = "status"
	InputFile   = "input"
	eventsFile  = "events"
	controlFile = "control"
	storeFile   = "store" // of the state folder: the store's id
)

// The descriptors of a shim. It is started with the lock and the socket, and gets the others from ReceiveDescriptors.
const (
	LockFD    = 3 // the job's lock, already taken by the daemon
	SocketFD  = 4 // socket over which the others are sent
	EventsFD  = 5 // write end of events, non-blocking
	ControlFD = 6 // read end of control, blocking
	SecretFD  = 7 // read end of what ReadSecrets reads, of a command that has some
)

// The bytes of the events FIFO. After Refused the rest is a sentence: the command was not started.
const (
	Happened = '.'
	Refused  = '!'
)

// Written is the byte of the control FIFO for input to read. Any other one asks for the end.
const Written = '<'

// Spec is what to run. It is written by the daemon and read by the shim.
type Spec struct {
	ID       string         `json:"id"`
	Hash     string         `json:"hash"` // of what makes two commands the same: text and folder as requested
	Command  string         `json:"command"`
	Dir      string         `json:"dir"` // absolute
	Env      []string       `json:"env"` // complete
	Timeout  time.Duration  `json:"timeout"`
	Confine  string         `json:"confine,omitempty"`   // what builds the sandbox: a confine.Method; empty builds none
	Policy   confine.Policy `json:"walls,omitzero"`      // what the command may see and change
	KeepFree uint64         `json:"keep_free,omitempty"` // bytes: it is ended when the disks that it writes to have less; 0: never
	Store    string         `json:"store"`
	Boot     string         `json:"boot"`
	Input    bool           `json:"input,omitempty"`  // it reads what Store.Write notes, and stdout alone is kept
	Sealed   int            `json:"sealed,omitempty"` // how many secrets it has
	Secrets  []wire.Secret  `json:"-"`                // they come over SecretFD and are in no file
	Unfit    error          `json:"-"`                // why it must not start here; what has started is attached to all the same
}

// Started records that a command was about to execute.
type Started struct {
	ID    string    `json:"id"`
	Hash  string    `json:"hash"`
	Store string    `json:"store"`
	Boot  string    `json:"boot"`
	At    time.Time `json:"at"`
}

// Status is how a job ended. State is one of wire's states.
type Status struct {
	State   string    `json:"state"`
	Code    int       `json:"code"`
	Total   int64     `json:"total"`          // bytes the command wrote
	Kept    int64     `json:"kept"`           // bytes in the output file
	Note    string    `json:"note,omitempty"` // what the reader of the output must know, for example that the disk was full
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	Errors  []byte    `json:"errors,omitempty"` // of a command with input: the end of what it wrote to stderr
}

// ReadJSON reads a file of a job. A file that is not there is fs.ErrNotExist.
func ReadJSON[T any](dir, name string) (T, error) {
	var v T
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return v, fmt.Errorf("read %s of %s: %w", name, filepath.Base(dir), err)
	}
	return v, nil
}

// WriteOnce makes a file that is not there yet and does not return before it, and the folders that lead to it,
// survive a power cut.
func WriteOnce(dir, name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := writeSynced(f, data); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return errors.Join(syncDir(dir), syncDir(filepath.Dir(dir)))
}

// Replace puts a file in place so that a reader sees the old or the whole new content, also after a power cut.
func Replace(dir, name string, v any) error {
	return errors.Join(place(dir, name, v, writeSynced), syncDir(dir))
}

// Place puts a file in place as Replace does, without waiting for the disk: until Sync returns, a power cut may leave it empty or take it away.
func Place(dir, name string, v any) error { return place(dir, name, v, write) }

// Sync waits until a file that Place has put in place survives a power cut.
func Sync(dir, name string) error {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close(), syncDir(dir))
}

func place(dir, name string, v any, write func(*os.File, []byte) error) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	path := filepath.Join(dir, name)
	f, err := os.OpenFile(path+".tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err := write(f, data); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), path)
}

func write(f *os.File, data []byte) error {
	_, err := f.Write(data)
	return errors.Join(err, f.Close())
}

func writeSynced(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Exists reports whether a file of a job is there. An error other than absence counts as there, which errs on the
// side of not running a command again.
func Exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return !errors.Is(err, fs.ErrNotExist)
}

// TryLock takes the lock on an open file without waiting; false means another process has it. The lock belongs to the open file and goes when its
// last descriptor is closed, however the process ends.
func TryLock(fd int) (bool, error) {
	for {
		err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		default:
			return false, fmt.Errorf("lock: %w", err)
		}
	}
}
