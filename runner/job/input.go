package job

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"xbot/runner/wire"
)

// Input is a write to a command.
type Input struct {
	Key   string `json:"key"`
	Data  []byte `json:"data,omitempty"`
	Close bool   `json:"close,omitempty"` // the input ends here
}

// Write records input for a command, unless an input with its key was recorded before, and signals the shim. A command that has not started reads it
// from its beginning. One that has ended is a Conflict, a forgotten one NotFound.
func (s *Store) Write(id string, in Input) error {
	name := folderName(id)
	e := s.enter(name)
	defer s.leave(name, e)
	Reclaim(s.dir)
	if s.wasReleased(name) {
		return wire.Errorf(wire.NotFound, "this runner has forgotten the command")
	}
	dir := s.jobDir(name)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return notWritten(err)
	}
	if err := writable(dir); err != nil || len(in.Data) == 0 && !in.Close {
		return err
	}
	if err := appendInput(filepath.Join(dir, InputFile), in); err != nil {
		if _, ok := errors.AsType[*wire.Error](err); ok {
			return err
		}
		return notWritten(err)
	}
	if _, err := poke(dir, Written); err != nil { // no shim listens before the start; then it looks on its start
		return notWritten(err)
	}
	return nil
}

// writable refuses a command that has ended.
func writable(dir string) error {
	phase, lock, err := look(dir)
	if err != nil {
		return notWritten(err)
	}
	if lock != nil {
		defer lock.Close()
	}
	switch phase {
	case fresh:
		return nil
	case running:
		if spec, err := ReadJSON[Spec](dir, CommandFile); err != nil || !spec.Input {
			return wire.Errorf(wire.Invalid, "the command reads no input: it was started without")
		}
		return nil
	}
	return wire.Errorf(wire.Conflict, "the command has ended, and nothing can be written to it")
}

func notWritten(err error) error {
	return wire.Errorf(wire.Unavailable, "the input was not written: %v", err)
}

// appendInput adds a write to the journal unless its key is there. A line that a killed daemon left without its end was acknowledged to no caller,
// and is replaced.
func appendInput(path string, in Input) error {
	line, err := json.Marshal(in)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close() // a failed write has returned its error before
	whole, found, err := readJournal(f, in.Key)
	switch {
	case err != nil || found:
		return err
	case whole+int64(len(line)) > wire.MaxInput:
		return wire.Errorf(wire.TooLarge, "the input of the command would have more than %d bytes", wire.MaxInput)
	}
	if err := f.Truncate(whole); err != nil {
		return err
	}
	_, err = f.WriteAt(append(line, '\n'), whole)
	return err
}

// readJournal returns how many bytes of a journal are whole lines, and whether one of them has the key.
func readJournal(f io.Reader, key string) (whole int64, found bool, err error) {
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return whole, false, nil
		}
		if err != nil {
			return whole, false, err
		}
		whole += int64(len(line))
		var had struct {
			Key string `json:"key"`
		}
		if json.Unmarshal(bytes.TrimSuffix(line, []byte("\n")), &had) == nil && had.Key == key {
			return whole, true, nil
		}
	}
}
