//go:build !linux

package testdir

func roomy(string) bool { return false }
