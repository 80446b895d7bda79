package card

import (
	"regexp"
	"slices"
	"strings"

	"xbot/internal/fault"
)

// Charts are the ways to show figures.
var Charts = []string{"bar", "line", "area", "pie"}

// figure is the form of a cell of a chart.
var figure = regexp.MustCompile(`^-?[0-9]{1,15}(\.[0-9]{1,10})?$`)

// table checks a table or a chart: the first column of its rows labels the figures in the others.
func (c *checking) table(e Element, out *Element) error {
	switch {
	case c.count[Chart] > MaxCharts:
		return fault.Errorf(fault.TooLarge, "a card may have %d charts", MaxCharts)
	case len(e.Columns) == 0 || len(e.Columns) > 10:
		return fault.Errorf(fault.Invalid, "columns must hold 1 to 10 heads")
	case len(e.Columns)*len(e.Rows) > MaxCells:
		return fault.Errorf(fault.TooLarge, "a %s may have %d cells", e.Kind, MaxCells)
	}
	out.Columns = lines(e.Columns)
	out.Rows = make([][]string, len(e.Rows))
	for i, row := range e.Rows {
		if len(row) != len(e.Columns) {
			return fault.Errorf(fault.Invalid, "row %d has %d cells, and there are %d columns", i+1, len(row), len(e.Columns))
		}
		out.Rows[i] = lines(row)
	}
	if e.Kind == Chart {
		return chart(e, out)
	}
	return nil
}

func chart(e Element, out *Element) error {
	out.Chart, out.Text = strings.ToLower(line(e.Chart)), e.Text
	switch {
	case !slices.Contains(Charts, out.Chart):
		return fault.Errorf(fault.Invalid, "chart must be one of %s", strings.Join(Charts, ", "))
	case long(out.Text):
		return fault.Errorf(fault.Invalid, "text is its title, of at most %d characters", MaxTitle)
	case len(out.Columns) < 2 || out.Chart == "pie" && len(out.Columns) != 2 || len(out.Rows) == 0:
		return fault.Errorf(fault.Invalid, "a chart has rows of a label and figures: columns must hold a head for the labels and one for each series, and a pie has one series")
	}
	for i, row := range out.Rows {
		for _, cell := range row[1:] {
			if !figure.MatchString(cell) {
				return fault.Errorf(fault.Invalid, "row %d has %.40q where a figure belongs, such as 12.5", i+1, cell)
			}
		}
	}
	return nil
}
