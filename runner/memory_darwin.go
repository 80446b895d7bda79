package runner

// closeMemory does nothing: this system does not let processes of one user read each other's memory.
func closeMemory() error { return nil }
