package confine

// Private reports whether commands are kept from looking into each other, and so from each other's environment.
func Private(method Method) bool { return method != None && landlockABI() >= abiRefer }
