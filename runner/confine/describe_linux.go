package confine

import (
	"fmt"
	"math/bits"
	"os"
	"slices"
	"strings"
)

// Describe returns in words for users the effect of a method on this machine, and its limits here.
func Describe(method Method, policy Policy) string {
	if method == None {
		return "none"
	}
	abi := landlockABI()
	says := []string{string(method)}
	if method == Landlock {
		says[0] = fmt.Sprintf("Landlock %d without a namespace", abi)
	} else if abi >= abiRefer {
		says[0] += fmt.Sprintf(", Landlock %d", abi)
	}
	head := strings.Join(says, "") + ": " + reach(abi, policy)
	parts := []string{head, powers(), "no new privileges"}
	return strings.Join(append(parts, missing(method, abi)...), "; ")
}

// reach describes the writable folders.
func reach(abi int, policy Policy) string {
	switch {
	case slices.Contains(policy.Write, "/"):
		return "everything writable but /proc and /sys"
	case abi < abiRefer && !canFreeze():
		return "folders of xbot hidden, nothing made read-only"
	}
	return strings.Join(policy.Write, ", ") + " writable, the rest read-only"
}

func powers() string {
	if n := bits.OnesCount64(keptBits()); n > 0 {
		return fmt.Sprintf("%d capabilities", n)
	}
	return "no capabilities"
}

// missing lists the features that this kernel lacks, each with the version that has it.
func missing(method Method, abi int) []string {
	var out []string
	if method == Landlock {
		out = append(out, "names in hidden folders can be listed, sockets reached")
	}
	if method == Landlock && os.Geteuid() == 0 {
		out = append(out, "devices are those of the container")
	}
	if abi < abiRefer {
		out = append(out, "other processes of the user can be looked into (Linux 5.19 could keep commands from it)")
	}
	if abi < abiScope {
		out = append(out, "abstract sockets of others can be reached (Linux 6.12 could keep commands from it)")
	}
	return append(out, "signals stay among commands")
}
