package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
)

// unpack reads the files of a compressed archive into memory.
func unpack(r io.Reader) (map[string][]byte, error) {
	plain, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	archive := tar.NewReader(plain)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Uid != 0 || header.Gid != 0 {
			return nil, fmt.Errorf("%s belongs to user %d, group %d", header.Name, header.Uid, header.Gid)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			return nil, err
		}
		files[path.Clean(header.Name)] = content
	}
}

// packaged are the files of the Debian package besides the programs.
var packaged = []string{
	"etc/xbot/env", "etc/xbot/runner.env",
	"usr/lib/systemd/system/xbot.service", "usr/lib/systemd/system/xbot-ingress.service",
	"usr/lib/systemd/system/xbot-worker.service", "usr/lib/systemd/system/xbot-runner.service",
	"usr/share/bash-completion/completions/xbot", "usr/share/zsh/vendor-completions/_xbot", "usr/share/fish/vendor_completions.d/xbot.fish",
	"usr/share/bash-completion/completions/xbot-cli", "usr/share/zsh/vendor-completions/_xbot-cli", "usr/share/fish/vendor_completions.d/xbot-cli.fish",
	"usr/share/xbot/apparmor/xbot-runner",
	"usr/share/doc/xbot/copyright", "usr/share/doc/xbot/changelog.gz", "usr/share/doc/xbot/CHANGELOG.md.gz",
}

// debian checks a package: its version, what it holds, that its settings survive an upgrade, and that its programs are those of
// the archive.
func (c *checker) debian(r io.Reader, name string) error {
	control, data, err := sections(r)
	if err != nil {
		return err
	}
	_, machine, _ := strings.Cut(strings.TrimSuffix(name, ".deb"), c.version+"_")
	for _, line := range []string{"Package: xbot\n", "Version: " + c.version + "\n", "Architecture: " + machine + "\n"} {
		if !strings.Contains(string(control["control"]), line) {
			return fmt.Errorf("its control file does not say %q", line)
		}
	}
	for _, file := range packaged {
		if _, ok := data[file]; !ok {
			return fmt.Errorf("%s is missing", file)
		}
		if strings.HasPrefix(file, "etc/") && !strings.Contains(string(control["conffiles"]), "/"+file+"\n") {
			return fmt.Errorf("an upgrade would overwrite /%s", file)
		}
	}
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		if len(control[script]) == 0 {
			return fmt.Errorf("its script %s is missing", script)
		}
	}
	for _, program := range programs {
		if got, want := digest(data["usr/bin/"+program]), c.archived["linux_"+machine+"/"+program]; got != want {
			return fmt.Errorf("usr/bin/%s is not the program of the archive", program)
		}
	}
	return nil
}

// sections reads the two archives of a Debian package, which is an ar archive: 8 bytes, then headers of 60 bytes, each with
// the content that it announces, on even positions.
func sections(r io.Reader) (control, data map[string][]byte, err error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, err
	}
	const magic, header = "!<arch>\n", 60
	rest, ok := bytes.CutPrefix(all, []byte(magic))
	if !ok {
		return nil, nil, errors.New("it is no Debian package")
	}
	found := map[string]map[string][]byte{}
	for len(rest) >= header {
		name := strings.TrimRight(string(rest[:16]), " /")
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		if err != nil || size < 0 || header+size > len(rest) {
			return nil, nil, fmt.Errorf("the size of %s cannot be read", name)
		}
		if strings.HasSuffix(name, ".tar.gz") {
			if found[name], err = unpack(bytes.NewReader(rest[header : header+size])); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		rest = rest[min(len(rest), header+size+size%2):]
	}
	return found["control.tar.gz"], found["data.tar.gz"], nil
}
