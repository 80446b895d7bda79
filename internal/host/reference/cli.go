package reference

import (
	"strings"

	"github.com/alecthomas/kong"
)

// Help is the output of a program with --help.
type Help struct{ Program, Text string }

// CLI lists the commands of xbot, and the help of the other programs.
func CLI(xbot *kong.Application, others ...Help) string {
	p := newPage("Command line", "The commands of `xbot`, and the flags of `xbot-cli`, `xbot-runner` and `xbot-temporal`.")
	p.section(2, "xbot")
	var rows [][]string
	leaves := xbot.Leaves(true)
	for _, leaf := range leaves {
		rows = append(rows, []string{quoted(leaf.Summary()), leaf.Help})
	}
	p.table([]string{"command", "what it does"}, rows)
	p.line("\nFlags of all commands:\n")
	p.table([]string{"flag", "meaning"}, flags(xbot.Node))
	for _, leaf := range leaves {
		own := append(arguments(leaf), flags(leaf)...)
		if len(own) == 0 {
			continue
		}
		p.section(3, "xbot "+leaf.Path())
		p.table([]string{"argument or flag", "meaning"}, own)
	}
	for _, other := range others {
		p.section(2, other.Program)
		p.block("", other.Text)
	}
	return p.String()
}

func arguments(n *kong.Node) [][]string {
	var rows [][]string
	for _, a := range n.Positional {
		rows = append(rows, []string{quoted(a.Summary()), a.Help})
	}
	return rows
}

func flags(n *kong.Node) [][]string {
	var rows [][]string
	for _, f := range n.Flags {
		if f.Hidden || f.Name == "help" {
			continue
		}
		name := "--" + f.Name
		if !f.IsBool() {
			name += "=" + f.FormatPlaceHolder()
		}
		meaning := f.Help
		if len(f.Envs) > 0 {
			meaning += " (`" + strings.Join(f.Envs, "`, `") + "`)"
		}
		rows = append(rows, []string{quoted(name), meaning})
	}
	return rows
}
