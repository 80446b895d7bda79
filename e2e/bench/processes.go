package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// programs are those of a stack, as the kernel names them.
var programs = []string{"xbot", "xbot-runner", "xbot-temporal", "postgres"}

// processes returns the processes of the stack by pid with the names of their programs.
func (s *stack) processes() (map[int]string, error) {
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	parents, names := map[int]int{}, map[int]string{}
	for _, path := range paths {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		pid, err := strconv.Atoi(strings.Split(path, "/")[2])
		if err != nil {
			return nil, err
		}
		end := bytes.LastIndexByte(stat, ')')
		names[pid] = string(stat[bytes.IndexByte(stat, '(')+1 : end])
		if parents[pid], err = strconv.Atoi(strings.Fields(string(stat[end+1:]))[1]); err != nil {
			return nil, err
		}
	}
	out := map[int]string{}
	for pid := range names {
		for up := pid; up > 1; up = parents[up] {
			if up == s.cmd.Process.Pid {
				out[pid] = names[pid]
				break
			}
		}
	}
	return out, nil
}

// cpu returns the CPU time that each program of the stack has used, in milliseconds. Unlike the clock it hardly
// depends on what else the machine does.
func (s *stack) cpu() (map[string]float64, error) {
	processes, err := s.processes()
	if err != nil {
		return nil, err
	}
	out := map[string]float64{}
	for pid, name := range processes {
		own, err := cpuOf(pid)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) || errors.Is(err, unix.EINVAL) {
			continue // it has ended
		}
		if err != nil {
			return nil, fmt.Errorf("read the CPU time of %s: %w", name, err)
		}
		out[name] += own
	}
	return out, nil
}

// cpuOf returns the CPU time of a process and of its children that have ended, in milliseconds.
func cpuOf(pid int) (float64, error) {
	const (
		scheduled = 2  // of CPU clocks: counted by the scheduler, exact
		tick      = 10 // milliseconds of the clock in which Linux counts the time of children
	)
	var own unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &own); err != nil {
		return 0, err
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	sum := float64(own.Nano()) / 1e6
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	for _, i := range []int{13, 14} { // cutime, cstime
		n, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return 0, err
		}
		sum += n * tick
	}
	return sum, nil
}

// pss returns the proportional set size of a process in MB.
func pss(pid int) float64 { return field(pid, "smaps_rollup", "Pss:") / 1024 }

// field returns a number of a file that the kernel keeps of a process; 0 after the process has ended.
func field(pid int, file, name string) float64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0
	}
	defer f.Close() // read only
	for scan := bufio.NewScanner(f); scan.Scan(); {
		if fields := strings.Fields(scan.Text()); len(fields) > 1 && fields[0] == name {
			n, err := strconv.ParseFloat(fields[1], 64)
			if err == nil {
				return n
			}
		}
	}
	return 0
}
