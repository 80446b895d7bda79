package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/server"
)

// envFileFlag is a file of settings. It holds for every part of the process and for those that it starts.
type envFileFlag string

// AfterApply is called by the command line's parser.
func (f envFileFlag) AfterApply() error {
	if f == "" {
		return nil
	}
	path, err := filepath.Abs(string(f))
	if err != nil {
		return fault.Errorf(fault.Invalid, "--env-file: %w", err)
	}
	return os.Setenv(config.EnvFileVariable, path)
}

// load reads the settings of a process, and passes those that libraries read directly to them.
func load[C any]() (C, error) {
	if err := config.SetLibraryVariables(os.Environ(), os.Setenv); err != nil {
		var none C
		return none, err
	}
	return config.Load[C](os.Environ())
}

// sayIgnored names a .env of the working folder, which may be why something is not set.
func sayIgnored(w io.Writer) {
	if path := config.IgnoredEnvFile(os.Environ()); path != "" {
		_, _ = fmt.Fprintln(w, "xbot: "+path+" is not read: "+server.IgnoredAdvice) // a closed terminal is no reason to stop
	}
}
