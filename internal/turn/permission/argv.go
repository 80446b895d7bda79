package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// wordsOf evaluates the words of a command.
func wordsOf(args []*syntax.Word) words {
	out := make(words, 0, len(args))
	for _, arg := range args {
		out = append(out, wordOf(arg))
	}
	return out
}

// wordOf returns the value of a word in the shell, or unknown if that depends on anything but its text.
func wordOf(w *syntax.Word) string {
	var out strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			text, ok := unquoted(p.Value)
			if !ok {
				return unknown
			}
			out.WriteString(text)
		case *syntax.SglQuoted:
			if p.Dollar {
				return unknown
			}
			out.WriteString(p.Value)
		case *syntax.DblQuoted:
			text, ok := quoted(p)
			if !ok {
				return unknown
			}
			out.WriteString(text)
		default:
			return unknown
		}
	}
	if strings.Contains(out.String(), unknown) {
		return unknown
	}
	return out.String()
}

// unquoted returns a text outside of quotes, without its backslashes; ok is false if the shell replaces it.
func unquoted(text string) (plain string, ok bool) {
	var out strings.Builder
	for n := 0; n < len(text); n++ {
		switch c := text[n]; {
		case c == '\\' && n+1 < len(text):
			if n++; text[n] != '\n' {
				out.WriteByte(text[n])
			}
		case strings.IndexByte("*?[{~", c) >= 0:
			return "", false
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), true
}

// quoted returns a text in double quotes; ok is false if the shell replaces a part of it.
func quoted(q *syntax.DblQuoted) (plain string, ok bool) {
	var out strings.Builder
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if q.Dollar || !ok {
			return "", false
		}
		text := lit.Value
		for n := 0; n < len(text); n++ {
			if text[n] == '\\' && n+1 < len(text) && strings.IndexByte("$`\"\\\n", text[n+1]) >= 0 {
				if n++; text[n] == '\n' {
					continue
				}
			}
			out.WriteByte(text[n])
		}
	}
	return out.String(), true
}

// quote quotes words so that they parse back unchanged.
func quote(w words) string {
	out := make([]string, 0, len(w))
	for _, word := range w {
		text, err := syntax.Quote(word, syntax.LangBash)
		if err != nil {
			return ""
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// patternWords parses the pattern of a command: the words that it begins with. Nil: it is none.
func patternWords(pattern string) words {
	pattern = strings.TrimSpace(pattern)
	pattern = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(pattern, " *"), ":*"))
	file, err := parse(pattern)
	if err != nil || len(file.Stmts) != 1 {
		return nil
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(stmt.Redirs) > 0 || stmt.Negated || stmt.Background || stmt.Disown || stmt.Coprocess {
		return nil
	}
	if words := wordsOf(call.Args); !slices.Contains(words, unknown) {
		return words
	}
	return nil
}

// parse parses a script as bash does.
func parse(script string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(script), "")
}
