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
	stopped     = "" // it ended as it was told to
)

const (
	// maxCause bounds the text of a cause, in bytes.
	maxCause = 200
	// maxOutput bounds how much of the output of a crash is read for its cause, in bytes.
	maxOutput = 64 << 10
)

// causeOf finds out why a process ended: from what the Go runtime wrote, else from the kernel's count of processes that it killed for
// lack of memory. With neither, the process was killed from outside, or the machine was switched off.
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

// crashText returns why the Go runtime ended the process. The text of a fatal error is not in the output, only the stack below it. An
// operator who asks for a dump of all goroutines (SIGQUIT, SIGABRT) ends the process, too, which is no crash.
func crashText(output io.Reader) string {
	lines := bufio.NewScanner(io.LimitReader(output, maxOutput))
	stack := false
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "\t"):
			continue
		case strings.HasPrefix(line, "SIGQUIT"), strings.HasPrefix(line, "SIGABRT"):
			return ""
		case strings.HasPrefix(line, "panic: "):
			return "panic" // its value may hold what people wrote
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

// causeOfFrame reads the cause of a fatal error from a function of its stack, from the innermost outwards; empty: the function only
// reports errors.
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

// bootID identifies the boot of the machine; empty where the system does not say.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// oomKills is how many processes the kernel has killed for lack of memory since it booted, in all groups; 0 where it does not say.
func oomKills() int64 {
	file, err := os.Open("/proc/vmstat")
	if err != nil {
		return 0
	}
	defer file.Close() // read only
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if count, ok := strings.CutPrefix(lines.Text(), "oom_kill "); ok {
			n, _ := strconv.ParseInt(count, 10, 64) // 0 where it is none
			return n
		}
	}
	return 0
}
