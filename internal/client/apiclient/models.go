package apiclient

// Names returns the names by which the model is chosen, the short ones first.
func (m Model) Names() []string { return append(append([]string{}, m.Alias...), m.ID) }

// Callable reports whether nothing speaks against choosing the model.
func (m Model) Callable() bool { return m.Available == nil || *m.Available }
