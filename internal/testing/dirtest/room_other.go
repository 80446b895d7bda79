//go:build !linux

package dirtest

func roomy(string) bool { return false }
