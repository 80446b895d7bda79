package completion

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"xbot/internal/fault"
)

// Shells are those that there is a script for.
var Shells = []string{"bash", "zsh", "fish"}

// Asked is the word by which the scripts ask a program.
const Asked = "__complete"

//go:embed scripts
var scripts embed.FS

// Script returns what a shell has to read to complete the command lines of a program.
func Script(shell, program string) (string, error) {
	if !slices.Contains(Shells, shell) {
		return "", fault.Errorf(fault.Invalid, "there is no completion for the shell %q; there is: %s", shell, strings.Join(Shells, ", "))
	}
	text, err := scripts.ReadFile("scripts/" + shell)
	if err != nil {
		return "", fault.Errorf(fault.Internal, "read the script: %w", err)
	}
	return strings.NewReplacer("@PROGRAM@", program, "@NAME@", strings.ReplaceAll(program, "-", "_")).Replace(string(text)), nil
}

// Answer writes the words that a script asks for, each in a line with its description behind a tab. A line ":files" means that names of files are
// among them. args are those behind Asked: "line" and a command line up to the cursor, or "words" and its words.
func Answer(to io.Writer, app *kong.Application, args []string, values Values) error {
	if len(args) == 0 {
		return nil
	}
	typed := args[1:]
	if args[0] == "line" {
		typed = split(strings.Join(typed, " "))
	}
	words, files := Words(app, typed, values)
	var out strings.Builder
	for _, word := range words {
		fmt.Fprintf(&out, "%s\t%s\n", oneLine(word.Text), oneLine(word.About))
	}
	if files {
		out.WriteString(":files\n")
	}
	if _, err := io.WriteString(to, out.String()); err != nil {
		return fmt.Errorf("print the words: %w", err)
	}
	return nil
}

// split parts a command line at its spaces, except inside of quotation marks and behind a backslash. The last word is the one
// that is being typed, which may be empty. The first, the name of the program, is left out.
func split(typed string) []string {
	words := []string{""}
	quote, escaped := rune(0), false
	for _, r := range typed {
		last := &words[len(words)-1]
		switch {
		case escaped:
			*last, escaped = *last+string(r), false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if *last != "" {
				words = append(words, "")
			}
		default:
			*last += string(r)
		}
	}
	return words[1:]
}

// oneLine makes a text one line without control characters: a title may have been written by anybody.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
}
