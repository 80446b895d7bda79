package runner

// serverFiles finds nothing on this system, which does not confine commands.
func serverFiles() []string { return nil }
