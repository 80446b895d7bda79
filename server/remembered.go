package server

import "xbot/internal/memory/view"

// remembered is what is remembered of people.
func (c *core) remembered() view.View { return view.View{Store: c.store, Policies: c.policies} }
