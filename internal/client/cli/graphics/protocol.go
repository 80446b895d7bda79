// Package graphics draws pictures in terminals that can: by the protocols of kitty, iTerm2 and sixel. What reaches a terminal is what an
// encoder made of decoded pixels, never a byte of a file.
package graphics

import "strings"

// Protocol is how a terminal is sent pictures.
type Protocol string

// The protocols, and the settings in place of one.
const (
	Auto   Protocol = "auto" // the best that the terminal supports
	Off    Protocol = "off"
	Kitty  Protocol = "kitty"
	ITerm2 Protocol = "iterm2"
	Sixel  Protocol = "sixel"
)

// Known reports whether it is one of them.
func (p Protocol) Known() bool {
	return p == Auto || p == Off || p == Kitty || p == ITerm2 || p == Sixel
}

// Terminal is the known abilities of a terminal.
type Terminal struct {
	Protocol Protocol // Auto: only an answer of the terminal decides
	// Cells is true if pictures are in the cells of the screen (kitty's Unicode placeholders), as full-screen programs need them.
	Cells bool
}

// Of returns what a terminal can: as the user wants it, or by the variables of its environment. Within tmux and screen, which would show the bytes of
// pictures as text or lose track of the cursor, there are none unless the user wants them.
func Of(wanted Protocol, getenv func(string) string) Terminal {
	if wanted != Auto && wanted != "" {
		return Terminal{Protocol: wanted, Cells: wanted == Kitty}
	}
	name, program := getenv("TERM"), getenv("TERM_PROGRAM")
	set := func(variables ...string) bool {
		for _, variable := range variables {
			if getenv(variable) != "" {
				return true
			}
		}
		return false
	}
	switch {
	case name == "" || name == "dumb" || name == "linux":
		return Terminal{Protocol: Off}
	case set("TMUX", "STY", "ZELLIJ") || strings.HasPrefix(name, "screen") || strings.HasPrefix(name, "tmux"):
		return Terminal{Protocol: Off}
	case program == "WezTerm", program == "iTerm.app", program == "mintty", getenv("LC_TERMINAL") == "iTerm2":
		return Terminal{Protocol: ITerm2}
	case set("KONSOLE_VERSION"):
		return Terminal{Protocol: Kitty}
	case name == "xterm-kitty", name == "xterm-ghostty", program == "ghostty", set("KITTY_WINDOW_ID"):
		return Terminal{Protocol: Kitty, Cells: true}
	}
	return Terminal{Protocol: Auto}
}
