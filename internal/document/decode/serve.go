package decode

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"xbot/internal/fault"
	"xbot/runner/confine"
)

const (
	// overtime is how much longer than the caller's limit a process may run before it ends.
	overtime = 5 * time.Second
	// maxStack bounds the stack of a decoder, in bytes; only hostile files are nested deeper.
	maxStack = 64 << 20
	// maxThreads bounds the threads of a process.
	maxThreads = 100
)

// served has the names of the decoders of this program.
var served = map[string]bool{}

// Serve adds a decoder to every program that imports the calling package, which assigns its result to a package variable. In a process that was
// started for this decoder it does all the work and does not return, so that later initialisers and main do not run. Therefore tests need no TestMain
// for it.
//
// open prepares the decoder before the process is sealed and has read the file; the function that it returns decodes. Errors of both with the kind
// Invalid or TooLarge are returned to the caller unchanged.
func Serve[P, R any](d Decoder[P, R], open func(P) (func(file []byte) (R, error), error)) bool {
	served[d.Name] = true
	if len(os.Args) == 3 && os.Args[1] == Command && os.Args[2] == d.Name {
		if err := serve(open); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	return true
}

// Ready returns the open function of a decoder that needs no preparation.
func Ready[P, R any](decode func(P, []byte) (R, error)) func(P) (func([]byte) (R, error), error) {
	return func(params P) (func([]byte) (R, error), error) {
		return func(file []byte) (R, error) { return decode(params, file) }, nil
	}
}

// serve answers one request.
func serve[P, R any](open func(P) (func([]byte) (R, error), error)) error {
	from := bufio.NewReader(os.Stdin)
	head, err := from.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	var r request[P]
	if err := json.Unmarshal(head, &r); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	time.AfterFunc(r.Limits.Time+overtime, func() { os.Exit(1) })
	decode, err := open(r.Params)
	if err != nil {
		return reply[R](nil, err)
	}
	if err := seal(r.Limits); err != nil {
		return fmt.Errorf("seal the process: %w", err)
	}
	file := make([]byte, r.Size)
	if _, err := io.ReadFull(from, file); err != nil {
		return fmt.Errorf("read the file: %w", err)
	}
	go func() {
		_, _ = from.ReadByte() // nothing more is sent; EOF means that the caller has ended
		os.Exit(1)
	}()
	result, err := decode(file)
	return reply(&result, err)
}

// seal confines the process to what it needs for decoding.
func seal(l Limits) error {
	debug.SetMaxStack(maxStack)
	debug.SetMaxThreads(maxThreads)
	debug.SetMemoryLimit(int64(l.Memory) / 4 * 3) // from here, garbage collection matters more than speed
	b := confine.Bounds{Memory: l.Memory, CPU: uint64(l.CPU / time.Second)}
	if raceDetector {
		b.Memory, b.CPU = 0, 10*b.CPU
	}
	return confine.Seal(b)
}

// reply writes the answer.
func reply[R any](result *R, err error) error {
	a := answer[R]{Result: result}
	if err != nil {
		a = answer[R]{Kind: fault.KindOf(err), Error: err.Error()}
	}
	if err := json.NewEncoder(os.Stdout).Encode(a); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}
