package job_test

import (
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// fieldsAfterName are the fields of /proc/<pid>/stat after the name, which may contain anything: state, parent ...
func fieldsAfterName(stat string) []string {
	return strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
}
