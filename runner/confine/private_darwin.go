package confine

// Private is false: nothing keeps commands of a user from each other on this system.
func Private(Method) bool { return false }
