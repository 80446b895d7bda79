package pdf

import (
	"fmt"
	"strconv"
	"strings"

	"xbot/internal/fault"
)

const (
	maxPage   = 1_000_000 // the highest number of a page
	maxRanges = 100       // of one list
)

// Range is pages from a first to a last one, from 1.
type Range struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// All are all pages of any document.
var All = []Range{{First: 1, Last: maxPage}}

// ParsePages reads a list of pages, "1-5,9,12-"; empty means all. An error is fault.Invalid.
func ParsePages(list string) ([]Range, error) {
	list = strings.TrimSuffix(strings.TrimSpace(list), ",")
	if list == "" {
		return All, nil
	}
	parts := strings.Split(list, ",")
	if len(parts) > maxRanges {
		return nil, fault.Errorf(fault.Invalid, "pages names more than %d ranges", maxRanges)
	}
	out := make([]Range, 0, len(parts))
	for _, part := range parts {
		first, last, many := strings.Cut(strings.TrimSpace(part), "-")
		from, err := number(first)
		to := from
		switch last = strings.TrimSpace(last); {
		case many && last == "":
			to = maxPage
		case many && err == nil:
			to, err = number(last)
		}
		if err != nil || to < from {
			return nil, fault.Errorf(fault.Invalid, "pages has %q; give numbers from 1 and ranges, like 1-5,9", part)
		}
		out = append(out, Range{First: from, Last: to})
	}
	return out, nil
}

func number(s string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 1 || n > maxPage {
		return 0, fmt.Errorf("%q is no page", s)
	}
	return n, nil
}

// Rest lists what remains of pages of a document of count pages once the first so many of them were read; empty if nothing does.
func Rest(pages []Range, count, read int) string {
	var out []string
	for _, r := range pages {
		last := min(r.Last, count)
		if skipped := min(max(0, last-r.First+1), read); skipped > 0 {
			r.First, read = r.First+skipped, read-skipped
		}
		switch {
		case r.First < last:
			out = append(out, fmt.Sprintf("%d-%d", r.First, last))
		case r.First == last:
			out = append(out, strconv.Itoa(last))
		}
	}
	return strings.Join(out, ",")
}
