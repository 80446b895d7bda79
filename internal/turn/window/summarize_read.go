package window

import (
	"path"
	"regexp"
	"strings"
)

const (
	maxNames     = 40  // declarations shown of a file
	maxNameShown = 110 // characters of each
	maxNameLine  = 300 // bytes of a line that are searched
)

// read summarizes a file as Read shows it: its beginning, its declarations with their lines, its end.
func (s *sketch) read(file, content string) {
	s.lines(25, firstLines(content, 3))
	names, more := declarations(file, content)
	if len(names) == 0 {
		s.line("[…]")
		s.lines(75, lastLines(content, 4)) // the last of which may describe how to read on
		return
	}
	s.line("[… declares:]")
	s.lines(45, names)
	if more > 0 {
		s.line("[… and %d more]", more)
	}
	s.lines(25, lastLines(content, 4))
}

// declarations returns the lines of a file that declare something, numbered, and how many more there are.
func declarations(file, content string) (names []string, more int) {
	declares := grammar[strings.ToLower(path.Ext(file))]
	if declares == nil {
		return nil, 0
	}
	for line := range strings.SplitSeq(content, "\n") {
		number, text, ok := numberedLine(line)
		if !ok || !declares.MatchString(text[:min(len(text), maxNameLine)]) {
			continue
		}
		if len(names) == maxNames {
			more++
			continue
		}
		names = append(names, number+"\t"+cutLine(strings.TrimRight(text, " {\r"), maxNameShown))
	}
	return names, more
}

// Patterns of the beginning of a declaration, by family of languages. They need not be exact: the lines are shown unchanged.
var (
	goLike     = regexp.MustCompile(`^(func|type)\s+[\w(]|^(const|var)\s+\w`)
	pythonLike = regexp.MustCompile(`^\s*(async\s+def|def|class)\s+\w`)
	scriptLike = regexp.MustCompile(`^\s*(export\s+)?(default\s+)?(declare\s+)?(abstract\s+)?(async\s+)?(function\b|class\s|interface\s|enum\s|type\s+\w+\s*[=<]|namespace\s)` +
		`|^(export\s+)?(const|let)\s+\w+\s*(:[^=]+)?=\s*(async\s*)?(\(|function\b|\w+\s*=>)`)
	rustLike  = regexp.MustCompile(`^\s*(pub(\([^)]*\))?\s+)?(async\s+|unsafe\s+|const\s+)*(fn|struct|enum|trait|impl|mod|type|macro_rules!)\b`)
	javaLike  = regexp.MustCompile(`^\s*((public|private|protected|internal|static|final|abstract|sealed|open|override|data|partial|async)\s+)*(class|interface|enum|record|object|fun|struct|namespace)\s+\w|^\s*((public|private|protected|internal|static|final|abstract|override|virtual|async)\s+)+[\w<>\[\],.? ]+\s+\w+\s*\(`)
	cLike     = regexp.MustCompile(`^(static\s+|inline\s+|extern\s+|const\s+)*(struct|class|enum|union|namespace|typedef)\s+\w|^\w[\w\s*&:<>,~]*\([^;]*$|^#define\s+\w`)
	rubyLike  = regexp.MustCompile(`^\s*(def|class|module)\s+\w`)
	phpLike   = regexp.MustCompile(`^\s*((public|private|protected|static|final|abstract)\s+)*(function|class|interface|trait|enum)\s+\w`)
	shellLike = regexp.MustCompile(`^\s*(function\s+)?[\w-]+\s*\(\)`)
	sqlLike   = regexp.MustCompile(`(?i)^\s*(create|alter)\s+(or\s+replace\s+)?(unique\s+)?(table|index|function|view|type|trigger|materialized)\b`)
	headings  = regexp.MustCompile(`^#{1,6}\s+\S`)
)

var grammar = map[string]*regexp.Regexp{
	".go": goLike, ".py": pythonLike, ".pyi": pythonLike,
	".js": scriptLike, ".jsx": scriptLike, ".mjs": scriptLike, ".cjs": scriptLike, ".ts": scriptLike, ".tsx": scriptLike, ".vue": scriptLike, ".svelte": scriptLike,
	".rs": rustLike, ".java": javaLike, ".kt": javaLike, ".kts": javaLike, ".cs": javaLike, ".scala": javaLike, ".swift": javaLike,
	".c": cLike, ".h": cLike, ".cc": cLike, ".cpp": cLike, ".cxx": cLike, ".hpp": cLike, ".m": cLike,
	".rb": rubyLike, ".php": phpLike, ".sh": shellLike, ".bash": shellLike, ".zsh": shellLike, ".sql": sqlLike,
	".md": headings, ".mdx": headings, ".rst": headings,
}
