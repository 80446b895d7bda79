package apiclient

import "slices"

// Is reports whether a name, in lower case, means this command.
func (c Command) Is(name string) bool { return c.Name == name || slices.Contains(c.Aliases, name) }
