package plugin

import (
	"path"
	"slices"
	"strings"

	"xbot/internal/fault"
)

// Page is the permission to show panels.
const Page Permission = "page"

const (
	// WebFolder is the folder of the files of panels.
	WebFolder = "web/"
	// MaxWeb limits all files below WebFolder, in bytes: a server caches the ones in use in memory.
	MaxWeb     = 8 << 20
	maxWidgets = 4
)

// Widget is a panel on the page: a document of the plugin in a separate frame.
type Widget struct {
	Name  string `json:"name"`
	Title Words  `json:"title"`
	Entry string `json:"entry"` // the document, below WebFolder
}

// Widget returns the panel of a name.
func (m Manifest) Widget(name string) (Widget, bool) {
	i := slices.IndexFunc(m.Contributes.Widgets, func(w Widget) bool { return w.Name == name })
	if i < 0 {
		return Widget{}, false
	}
	return m.Contributes.Widgets[i], true
}

func (m *Manifest) checkWidgets() error {
	all := m.Contributes.Widgets
	switch {
	case len(all) > maxWidgets:
		return invalid("contributes.widgets", "there are more than %d", maxWidgets)
	case len(all) > 0 && !m.Wants(Page):
		return invalid("permissions", "a plugin with widgets asks for the permission page")
	}
	for i, w := range all {
		switch {
		case !nameForm.MatchString(w.Name):
			return invalid("contributes.widgets", "the name %q has to be 1 to 32 small letters, digits and underscores, a letter first", cut(w.Name))
		case slices.ContainsFunc(all[:i], func(o Widget) bool { return o.Name == w.Name }):
			return invalid("contributes.widgets", "%s is there twice", w.Name)
		case w.Title.English == "" || !isLine(w.Title.English) || !isLine(w.Title.Chinese):
			return invalid("contributes.widgets, "+w.Name, "title has to have a line en of 1 to %d characters, and may have one zh", maxLine)
		case !IsWebPath(w.Entry) || path.Ext(w.Entry) != ".html":
			return invalid("contributes.widgets, "+w.Name, "entry %q has to be a file such as web/index.html: letters, digits, dots, dashes and underscores below the folder web", cut(w.Entry))
		}
	}
	return nil
}

// webTypes are the content types of served files, by the ends of their names.
var webTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".woff2": "font/woff2",
}

// WebType returns the content type of a file below WebFolder; empty: such files are not served.
func WebType(name string) string { return webTypes[path.Ext(name)] }

// IsWebPath reports whether a path is that of a file which may be served: below WebFolder, of characters that mean the same in every address, and
// of a known type.
func IsWebPath(name string) bool {
	if !strings.HasPrefix(name, WebFolder) || checkPath(name) != nil || WebType(name) == "" {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' {
			return false
		}
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("/._-", r)
	})
}

// Web returns the files that panels may load, by their paths. It returns TooLarge if they have more than MaxWeb bytes.
func (t Tree) Web() (map[string][]byte, error) {
	out, size := map[string][]byte{}, 0
	for name, file := range t {
		if IsWebPath(name) {
			out[name] = file.Data
			size += len(file.Data)
		}
	}
	if size > MaxWeb {
		return nil, fault.Errorf(fault.TooLarge, "the files below %s have more than %d MB", WebFolder, MaxWeb>>20)
	}
	return out, nil
}

// checkWeb refuses widgets whose documents are missing.
func (t Tree) checkWeb(m Manifest) error {
	if len(m.Contributes.Widgets) == 0 {
		return nil
	}
	web, err := t.Web()
	for _, w := range m.Contributes.Widgets {
		if _, there := web[w.Entry]; err == nil && !there {
			err = invalid("contributes.widgets, "+w.Name, "there is no file %s", w.Entry)
		}
	}
	return err
}
