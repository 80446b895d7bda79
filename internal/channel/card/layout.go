package card

import (
	"slices"

	"xbot/internal/fault"
)

// containerPosition is the kind and position of a container.
type containerPosition struct {
	kind  Kind
	depth int // how many containers enclose its elements
	count int // columns
	form  bool
	area  bool
}

// place returns the position of an element. The rules are those of platforms (open.feishu.cn, card JSON 2.0, nesting rules of the containers).
func (c *checking) place(e Element) (containerPosition, error) {
	at, there := c.stands[e.In]
	content := slices.Contains(Contents, e.Kind)
	switch {
	case !content && !e.IsContainer() && !e.IsField() && !slices.Contains(Pressed, e.Kind):
		return at, fault.Errorf(fault.Invalid, "there is no such element")
	case !there:
		return at, fault.Errorf(fault.Invalid, "there is no container %.40q before it; add the container first", e.In)
	case at.kind == Columns && (e.Column < 1 || e.Column > at.count):
		return at, fault.Errorf(fault.Invalid, "column says in which column of %q it stands, 1 to %d", e.In, at.count)
	case at.kind != Columns && e.Column != 0:
		return at, fault.Errorf(fault.Invalid, "column is for what stands in a column_set")
	case e.Kind == Form && e.In != "":
		return at, fault.Errorf(fault.Invalid, "a form stands in no container")
	case e.IsField() && !at.form:
		return at, fault.Errorf(fault.Invalid, "it must stand in a form; add a form and name it in the member in")
	case at.area && !content:
		return at, fault.Errorf(fault.Invalid, "an interactive_container is pressed as a whole; in it stands what is read")
	case at.form && (e.Kind == Area || e.Kind == Overflow):
		return at, fault.Errorf(fault.Invalid, "a %s cannot stand in a form, whose fields it would not send; use a button", e.Kind)
	case (e.Kind == Table || e.Kind == Chart) && (at.form || at.area || at.kind == Columns):
		return at, fault.Errorf(fault.Invalid, "a %s cannot stand in a form, a column_set or an interactive_container", e.Kind)
	case e.IsContainer() && at.depth >= MaxDepth:
		return at, fault.Errorf(fault.Invalid, "containers stand %d deep in each other at most", MaxDepth)
	}
	return at, nil
}

func (c *checking) container(e Element, at containerPosition, out *Element) error {
	if err := c.name(e); err != nil {
		return err
	}
	out.Name = e.Name
	c.stands[e.Name] = containerPosition{kind: e.Kind, depth: at.depth + 1, count: e.Count, form: at.form || e.Kind == Form, area: e.Kind == Area}
	switch {
	case e.Kind == Columns && (e.Count < 2 || e.Count > 4):
		return fault.Errorf(fault.Invalid, "count says how many columns it has, 2 to 4")
	case e.Kind == Columns:
		out.Count = e.Count
	case e.Kind == Panel:
		out.Text, out.Open = e.Text, e.Open
		return labelled(e)
	case e.Kind == Area:
		out.Text, out.URL = e.Text, e.URL
		return errFirst(labelled(e), opened(e), c.pressed(e.Text))
	}
	return nil
}
