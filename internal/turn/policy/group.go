package policy

import "cmp"

// Who may do what concerns everybody in a group.
const (
	Askers         = "askers"         // default of stop: who wrote what the running turn answers, and administrators
	Administrators = "administrators" // default of reset
	Everybody      = "everybody"
)

// WhoStops says who may end the turn that runs in a group, by /stop or by a message that interrupts it.
func (g Group) WhoStops() string { return cmp.Or(g.Stop, Askers) }

// WhoResets says who may begin the conversation of a group anew. Whoever alone has written to the bot there always may.
func (g Group) WhoResets() string { return cmp.Or(g.Reset, Administrators) }

func (c *check) groups(path string, groups map[string]Group) {
	for id, g := range groups {
		at := join(path, id)
		c.oneOf(at+".stop", g.Stop, Askers, Administrators, Everybody)
		c.oneOf(at+".reset", g.Reset, Administrators, Everybody)
	}
}
