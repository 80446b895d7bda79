package crash

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// folder is the folder of the journals in the data folder.
	folder = "attempts"
	// journalEnding and outputEnding end the file names of a process's journal and of the Go runtime's crash output.
	journalEnding, outputEnding = ".journal", ".crash"
	// newEnding ends the file name of a journal that is not locked yet.
	newEnding = ".new"
	// slotSize is the size of an attempt in a journal, in bytes. The first slot is the header.
	slotSize = 2048
	// maxSlots bounds a journal that is read: a process does not run more attempts at once.
	maxSlots = 8192
)

// header has the data that is needed to find out why the process ended.
type header struct {
	Version  string    `json:"version"` // of the program
	Process  int       `json:"process"`
	Started  time.Time `json:"started"`
	Boot     string    `json:"boot,omitempty"` // id of the boot of the machine
	OOMKills int64     `json:"oom_kills"`      // the kernel's out-of-memory kills since boot, when last read
	Stopping bool      `json:"stopping,omitempty"`
}

// Journal is the file in which a worker process records the attempts that it runs. A write reaches the kernel at once, so that it
// remains when the process dies; it is not synced, since what ends with the machine was not ended by an attempt.
type Journal struct {
	file, output *os.File
	watched      chan struct{} // closed by Close
	watching     sync.WaitGroup

	headMu sync.Mutex
	head   header

	mu   sync.Mutex
	free []int64 // free slots
	next int64   // the first unused slot
	err  error   // the first failed write
}

// Folder returns the folder of the journals and crash outputs in a data folder.
func Folder(home string) string { return filepath.Join(home, folder) }

// OpenJournal creates the journal of this process in a data folder, and has the Go runtime write its crash output to a file next to it.
func OpenJournal(home, version string) (*Journal, error) {
	dir := Folder(home)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of running attempts: %w", err)
	}
	base := filepath.Join(dir, fmt.Sprintf("%d-%s", os.Getpid(), rand.Text()[:8]))
	j := &Journal{next: 1, watched: make(chan struct{}), head: header{Version: version, Process: os.Getpid(), Started: time.Now(), Boot: bootID(), OOMKills: oomKills()}}
	err := j.open(base)
	if err != nil {
		j.remove(base)
		return nil, fmt.Errorf("make the journal of running attempts: %w", err)
	}
	j.watching.Go(j.watch)
	return j, nil
}

// watchEvery is how often the kernel's count of out-of-memory kills is read.
const watchEvery = time.Second

// watch updates the count of the header, one interval late, so that only a kill in the last moments of the process counts as its own.
func (j *Journal) watch() {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for before := j.head.OOMKills; ; {
		select {
		case <-j.watched:
			return
		case <-ticker.C:
		}
		j.headMu.Lock()
		if before != j.head.OOMKills {
			j.head.OOMKills = before
			j.note(j.write(0, j.head))
		}
		j.headMu.Unlock()
		before = oomKills()
	}
}

// open creates the journal under a temporary name until it is locked, so that no other process takes it for that of a dead one.
func (j *Journal) open(base string) (err error) {
	if j.file, err = os.OpenFile(base+newEnding, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return err
	}
	if err := unix.Flock(int(j.file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err
	}
	if err := j.write(0, j.head); err != nil {
		return err
	}
	if j.output, err = os.OpenFile(base+outputEnding, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return err
	}
	if err := debug.SetCrashOutput(j.output, debug.CrashOptions{}); err != nil {
		return err
	}
	return os.Rename(base+newEnding, base+journalEnding)
}

// Begin records an attempt and returns its slot.
func (j *Journal) Begin(a Attempt) int64 {
	j.mu.Lock()
	slot := j.next
	if n := len(j.free); n > 0 {
		slot, j.free = j.free[n-1], j.free[:n-1]
	} else {
		j.next++
	}
	j.mu.Unlock()
	a.Began = time.Now()
	j.Update(slot, a)
	return slot
}

// Update replaces the attempt of a slot.
func (j *Journal) Update(slot int64, a Attempt) { j.note(j.write(slot, a)) }

// End removes the attempt of a slot.
func (j *Journal) End(slot int64) {
	_, err := j.file.WriteAt([]byte{0, 0}, slot*slotSize)
	j.note(err)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.free = append(j.free, slot)
}

// Stop records that the process shuts down regularly, so that running attempts are not blamed.
func (j *Journal) Stop() {
	j.headMu.Lock()
	defer j.headMu.Unlock()
	j.head.Stopping = true
	j.note(j.write(0, j.head))
}

// Err returns the first write error.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Close removes the journal of a process that has ended its work.
func (j *Journal) Close() error {
	close(j.watched)
	j.watching.Wait()
	base := j.file.Name()[:len(j.file.Name())-len(newEnding)]
	if err := debug.SetCrashOutput(nil, debug.CrashOptions{}); err != nil {
		return fmt.Errorf("end the file of crashes: %w", err)
	}
	j.remove(base)
	return nil
}

func (j *Journal) remove(base string) {
	for _, name := range []string{base + newEnding, base + outputEnding, base + journalEnding} {
		_ = os.Remove(name) // otherwise the next process removes it
	}
	for _, f := range []*os.File{j.file, j.output} {
		if f != nil {
			_ = f.Close() // nothing is pending on it
		}
	}
}

// write puts a record into a slot: its length, then JSON. A torn record has no valid JSON.
func (j *Journal) write(slot int64, record any) error {
	body, err := json.Marshal(record)
	if err != nil {
		return err
	}
	if len(body) > slotSize-2 {
		return errors.New("the record is too long")
	}
	buf := binary.BigEndian.AppendUint16(make([]byte, 0, len(body)+2), uint16(len(body)))
	_, err = j.file.WriteAt(append(buf, body...), slot*slotSize)
	return err
}

func (j *Journal) note(err error) {
	if err == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = err
	}
}

// read returns the header and the attempts of a journal.
func read(file *os.File) (h header, running []Attempt, err error) {
	buf := make([]byte, slotSize)
	for slot := range int64(maxSlots) {
		n, _ := file.ReadAt(buf, slot*slotSize)
		if n < 2 {
			break
		}
		size := int(binary.BigEndian.Uint16(buf))
		if slot == 0 {
			if size > n-2 || json.Unmarshal(buf[2:2+size], &h) != nil {
				return h, nil, errors.New("the journal has no header")
			}
			continue
		}
		var a Attempt
		if size == 0 || size > n-2 || json.Unmarshal(buf[2:2+size], &a) != nil {
			continue // free, or being written when the process died: it had not begun
		}
		running = append(running, a)
	}
	return h, running, nil
}
