package crash

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
)

// Causes of the end of a process.
const (
	outOfMemory = "out of memory"
	killed      = "killed"
	abort       = "abort in the C library" // which cannot make a thread, mostly for lack of memory
	stopped     = ""                       // by a regular shutdown
)

const (
	// maxCause bounds the text of a cause, in bytes.
	maxCause = 200
	// maxOutput bounds how much of a crash's output is read for its cause, in bytes.
	maxOutput = 64 << 10
)

// causeOf returns why a process ended: from the output of the Go runtime, else from the kernel's count of out-of-memory kills. Without either, the
// process was killed from outside, or the machine lost power.
func causeOf(h header, output io.Reader) string {
	if text := crashText(output); text != "" {
		return text
	}
	switch {
	case h.Stopping:
		return stopped
	case h.Boot != "" && h.Boot == bootID() && oomKills() > h.OOMKills:
		return outOfMemory
	}
	return killed
}

// crashText returns why the Go runtime ended the process. The output has no text of a fatal error, only the stack below it. A dump of all goroutines
// that an operator requests (SIGQUIT, SIGABRT) ends the process, too, but is no crash. The C library also sends SIGABRT.
func crashText(output io.Reader) string {
	lines := bufio.NewScanner(io.LimitReader(output, maxOutput))
	stack := false
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "\t"):
			continue
		case strings.HasPrefix(line, "SIGQUIT"):
			return ""
		case strings.HasPrefix(line, "SIGABRT"):
			if lines.Scan() && strings.HasSuffix(lines.Text(), " sigcode=0") { // sent with kill
				return ""
			}
			return abort
		case strings.HasPrefix(line, "panic: "):
			return "panic" // its value may contain user data
		case strings.HasPrefix(line, "runtime stack:"), strings.HasPrefix(line, "goroutine "):
			stack = true
			continue
		case !stack:
			return shorten(line)
		}
		if cause := causeOfFrame(line); cause != "" {
			return cause
		}
	}
	if stack {
		return "fatal error"
	}
	return ""
}

// causeOfFrame returns the cause of a fatal error by a function of its stack, from the innermost outwards; empty if the function only reports errors.
func causeOfFrame(line string) string {
	function := line
	if i := strings.LastIndexByte(line, '('); i > 0 {
		function = line[:i]
	}
	switch {
	case strings.HasSuffix(function, ".throw"), strings.HasSuffix(function, ".fatal"), strings.HasSuffix(function, ".fatalthrow"):
		return ""
	case strings.HasPrefix(function, "runtime.sys"), strings.HasPrefix(function, "runtime.persistentalloc"), strings.HasPrefix(function, "runtime.(*mheap)."):
		return outOfMemory
	case function == "runtime.newstack":
		return "stack overflow"
	}
	return shorten("fatal error in " + function)
}

func shorten(text string) string { return strings.ToValidUTF8(text[:min(len(text), maxCause)], "") }

// bootID identifies the boot of the machine; empty if the system has no such id.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// oomKills returns how many processes the kernel has killed for lack of memory since boot, in all groups; 0 if unknown.
func oomKills() int64 {
	file, err := os.Open("/proc/vmstat")
	if err != nil {
		return 0
	}
	defer file.Close() // read only
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if count, ok := strings.CutPrefix(lines.Text(), "oom_kill "); ok {
			n, _ := strconv.ParseInt(count, 10, 64) // 0 if not a number
			return n
		}
	}
	return 0
}
