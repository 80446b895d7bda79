//go:build !linux

package crash_test

func abort() {}
