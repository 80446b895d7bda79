package job

// sealAll has no system call to use here.
func sealAll() bool { return false }
