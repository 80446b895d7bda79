package confine

// Hidden is empty: commands are not confined on this system.
func Hidden(string) (hide, keep []string) { return nil, nil }
