//go:build !linux

// Command probe makes attempts that a shell cannot.
package main

func main() { panic("it knows Linux only") }
