package window

import (
	"fmt"
	"slices"
	"strings"

	"xbot/internal/chat"
)

// Sections are the headings of a summary, in order. The prompt of its writer explains them.
var Sections = []string{"Earlier context", "Task", "Decisions", "Files", "Errors and fixes", "Recent work", "Next steps"}

// Share of a summary's target, in percent.
const (
	overrun       = 150 // maximum length of a summary
	appendixShare = 15  // the appendix of a summary that lost something
	demandShare   = 20  // of the identifiers that a summary must repeat itself
	kept          = 95  // of them must be present
)

// Facts is the data that a compaction has to carry over from the part that it replaces, newest first.
type Facts struct {
	Recall      []string // ids that recall hidden results
	Identifiers []string // of the messages of users and the assistant, and of earlier summaries
}

// FactsOf collects the data that the beginning of a window must not lose: part is the beginning of its view, with all of the window's lines
// up to a message.
func FactsOf(w chat.Window, part []chat.Line, upto chat.MessageID) Facts {
	recall, said := newList(), newList()
	for _, l := range slices.Backward(part) {
		m := l.Message
		for _, c := range slices.Backward(m.ToolCalls) {
			recall.add(idsOf(c)...)
		}
		recall.add(Recallable(m.Content)...)
		said.add(Identifiers(m.Content)...)
	}
	for _, c := range slices.Backward(w.Controls) { // a view contains only the newest masks
		for _, m := range slices.Backward(c.Masks) {
			if m.Message <= upto {
				recall.add(m.ID)
			}
		}
	}
	for _, l := range slices.Backward(w.Lines) {
		for _, c := range slices.Backward(l.Message.ToolCalls) {
			if c.Offload != "" && l.Message.ID <= upto {
				recall.add(c.Offload)
			}
		}
	}
	return Facts{Recall: recall.items, Identifiers: said.items}
}

// list stores each item once, in the order of first occurrence.
type list struct {
	items []string
	known map[string]bool
}

func newList() *list { return &list{known: map[string]bool{}} }

func (l *list) add(items ...string) {
	for _, item := range items {
		if !l.known[item] {
			l.known[item] = true
			l.items = append(l.items, item)
		}
	}
}

// Flaws is the faults of a summary; the zero value means none.
type Flaws struct {
	Empty    bool
	Headings []string // missing, repeated or out of order
	Tokens   int      // its length if that is too much
	Target   int
	Recall   []string // ids that it lost
	Lost     []string // lost identifiers, if they are more than one in twenty
}

// Review checks a summary against the part that it replaces. target is its length in tokens, counted by size. Facts are demanded newest
// first, as many as may be expected of that length; the archive has the others.
func Review(summary string, facts Facts, target int, size func(string) int) Flaws {
	f := Flaws{Target: target, Empty: hollow(summary), Headings: misplaced(summary)}
	if n := size(summary); n > target*overrun/100 {
		f.Tokens = n
	}
	f.Recall = missing(summary, fitting(facts.Recall, target*appendixShare/100, size))
	demanded := fitting(facts.Identifiers, target*demandShare/100, size)
	if lost := missing(summary, demanded); len(lost)*100 > len(demanded)*(100-kept) {
		f.Lost = lost
	}
	return f
}

// Usable reports whether the summary can be used once its missing facts are added.
func (f Flaws) Usable() bool { return !f.Empty && len(f.Headings) == 0 && f.Tokens == 0 }

// Complete reports whether nothing has to be added.
func (f Flaws) Complete() bool { return f.Usable() && len(f.Recall) == 0 && len(f.Lost) == 0 }

// maxComplaint bounds how many lost names a complaint lists.
const maxComplaint = 120

// Complaint returns the corrections for the writer of the summary.
func (f Flaws) Complaint() string {
	var out []string
	if f.Empty {
		out = append(out, "It says nothing.")
	}
	if len(f.Headings) > 0 {
		out = append(out, "It must have each of the seven headings once, in order: ## "+strings.Join(Sections, ", ## ")+". Wrong: "+strings.Join(f.Headings, ", ")+".")
	}
	if f.Tokens > 0 {
		out = append(out, fmt.Sprintf("It is %d %% of the length that was asked for. Shorten it.", f.Tokens*100/max(f.Target, 1)))
	}
	if len(f.Recall) > 0 {
		out = append(out, "These ids are missing: "+strings.Join(f.Recall[:min(len(f.Recall), maxComplaint)], ", ")+".")
	}
	if len(f.Lost) > 0 {
		out = append(out, "These names are missing, which must be there letter by letter: "+strings.Join(f.Lost[:min(len(f.Lost), maxComplaint)], " · "))
	}
	return strings.Join(out, "\n")
}

// misplaced returns the faults in the headings of a summary.
func misplaced(summary string) []string {
	var found, wrong []string
	for line := range strings.Lines(summary) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok {
			found = append(found, strings.TrimSpace(name))
		}
	}
	place := -1
	for _, name := range Sections {
		i := slices.Index(found, name)
		switch {
		case i < 0:
			wrong = append(wrong, name+" is missing")
		case slices.Contains(found[i+1:], name):
			wrong = append(wrong, name+" is there more than once")
		case i < place:
			wrong = append(wrong, name+" is out of order")
		}
		place = max(place, i)
	}
	return wrong
}

// hollow reports whether a summary has nothing under its headings.
func hollow(summary string) bool {
	said := 0
	for line := range strings.Lines(summary) {
		line = strings.Trim(strings.TrimSpace(line), "-* .")
		if line != "" && !strings.HasPrefix(line, "#") && !strings.EqualFold(line, "none") && !strings.EqualFold(line, "n/a") {
			said += len(line)
		}
	}
	return said < 20
}

func missing(text string, ids []string) []string {
	flat := strings.Join(strings.Fields(text), " ")
	var out []string
	for _, id := range ids {
		if !carries(flat, strings.Join(strings.Fields(id), " ")) {
			out = append(out, id)
		}
	}
	return out
}

// fitting returns the first items that together take at most room tokens.
func fitting(items []string, room int, size func(string) int) []string {
	for i, item := range items {
		if room -= size(item) + 1; room < 0 {
			return items[:i]
		}
	}
	return items
}

// Complete adds to a summary its missing facts, newest first, up to 15 % of its target: the recall ids, then identifiers.
func Complete(summary string, facts Facts, target int, size func(string) int) string {
	room := target * appendixShare / 100
	recall := fitting(missing(summary, facts.Recall), room, size)
	for _, id := range recall {
		room -= size(id) + 1
	}
	names := fitting(missing(summary, facts.Identifiers), room, size)
	summary = strings.TrimSpace(summary)
	if len(names) > 0 {
		summary += "\n\n## Identifiers\nAlso named before: " + strings.Join(names, " · ")
	}
	if len(recall) > 0 {
		summary += "\n\n## Recallable\nHidden results from before: " + strings.Join(recall, ", ")
	}
	return summary
}

// maxArchive bounds an archive, in bytes. The oldest lines of a longer one are omitted.
const maxArchive = 4 << 20

// Archive returns the text that is stored with a summary, so that everything can be recalled: all ids and names, then the part itself, with
// its results cut as for the writer of the summary.
func Archive(part []chat.Line, facts Facts) string {
	var b strings.Builder
	b.WriteString("# What a compaction stands for\n\n## Recallable ids, newest first\n")
	for _, id := range facts.Recall {
		b.WriteString(id + "\n")
	}
	b.WriteString("\n## Names, newest first\n")
	for _, name := range facts.Identifiers {
		b.WriteString(name + "\n")
	}
	b.WriteString("\n## Transcript\n")
	texts := Transcript(part, MaxResult)
	from, bytes := len(texts), b.Len()
	for from > 0 && bytes+len(texts[from-1]) < maxArchive {
		from--
		bytes += len(texts[from]) + 1
	}
	if from > 0 {
		fmt.Fprintf(&b, "(%d older messages are left out)\n", from)
	}
	b.WriteString(strings.Join(texts[from:], "\n"))
	return b.String()
}

// Close appends the id of the archive to a summary.
func Close(summary, archive string, bytes int) string {
	return fmt.Sprintf("%s\n\nAll of this word for word, beginning with an index of ids and names: offload_recall %s (%d kB).",
		strings.TrimSpace(summary), archive, bytes/1024+1)
}

// After returns a window as it will be once a compaction is recorded.
func After(w chat.Window, c chat.Control) chat.Window {
	out := chat.Window{Session: w.Session, Compaction: &c, Controls: w.Controls, Upto: w.Upto}
	i := 0
	for i < len(w.Lines) && w.Lines[i].Message.ID <= c.Message {
		i++
	}
	out.Lines = w.Lines[i:]
	if len(out.Lines) == 0 || out.Lines[0].Message.Role != chat.RoleAssistant {
		return out
	}
	out.Asked = w.Asked
	for k := range w.Lines[:i] {
		if m := w.Lines[k].Message; m.Role == chat.RoleUser && m.Turn == out.Lines[0].Message.Turn {
			out.Asked = &w.Lines[k]
		}
	}
	return out
}
