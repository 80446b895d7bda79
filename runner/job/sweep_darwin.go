package job

// sweep cannot tell safely which processes belong to a lost job on this system, so it kills none.
func sweep(...string) int { return 0 }
