package job

// sweep kills no process: which belong to a lost job cannot be determined safely on this system.
func sweep(...string) int { return 0 }
