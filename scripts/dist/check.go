package main

import (
	"bufio"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// sums is the file with the checksums of all others.
const sums = "SHA256SUMS"

// check looks whether a folder keeps the promises of a release, and says what it found.
func check(folder, version string) (string, error) {
	names, err := checkSums(folder)
	if err != nil {
		return "", err
	}
	document := "xbot_" + version + ".cdx.json"
	if !slices.Contains(names, document) {
		return "", fmt.Errorf("%s is missing", document)
	}
	listed, err := readDocument(filepath.Join(folder, document), version)
	if err != nil {
		return "", err
	}
	c := checker{folder: folder, version: version, listed: listed, archived: map[string]string{}}
	for _, suffix := range []string{".tar.gz", ".deb"} { // a package is compared with the archive of its machine
		for _, name := range names {
			if strings.HasSuffix(name, suffix) {
				if err := c.file(name); err != nil {
					return "", fmt.Errorf("%s: %w", name, err)
				}
			}
		}
	}
	if c.archives == 0 {
		return "", errors.New("there is no archive")
	}
	return fmt.Sprintf("%d archives, %d Debian packages: checksums, versions, contents and %s are right.", c.archives, c.packages, document), nil
}

// checkSums compares all files with their checksums and returns their names. One without a checksum is an error.
func checkSums(folder string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(folder, sums))
	if err != nil {
		return nil, err
	}
	want := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		want[name] = sum
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.Name() == sums {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		if sum := digest(content); want[e.Name()] != sum {
			return nil, fmt.Errorf("%s has the checksum %s, but %s says %q", e.Name(), sum, sums, want[e.Name()])
		}
		names = append(names, e.Name())
	}
	if len(names) != len(want) {
		return nil, fmt.Errorf("%s lists %d files, there are %d", sums, len(want), len(names))
	}
	return names, nil
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// readDocument returns the references of what the document lists.
func readDocument(file, version string) (map[string]bool, error) {
	text, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer text.Close() // read only
	doc := &cyclonedx.BOM{}
	if err := cyclonedx.NewBOMDecoder(bufio.NewReader(text), cyclonedx.BOMFileFormatJSON).Decode(doc); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	if doc.Metadata == nil || doc.Metadata.Component == nil || doc.Metadata.Component.Version != version || doc.Components == nil {
		return nil, fmt.Errorf("%s does not describe version %s", file, version)
	}
	listed := map[string]bool{}
	for _, part := range *doc.Components {
		listed[part.BOMRef] = true
	}
	return listed, nil
}

type checker struct {
	folder, version    string
	listed             map[string]bool   // in the document
	archived           map[string]string // digest of a program in an archive, by target and name
	archives, packages int
}

func (c *checker) file(name string) error {
	f, err := os.Open(filepath.Join(c.folder, name))
	if err != nil {
		return err
	}
	defer f.Close() // read only
	stem, archive := strings.CutSuffix(name, ".tar.gz")
	if !archive {
		c.packages++
		return c.debian(f, name)
	}
	c.archives++
	files, err := unpack(f)
	if err != nil {
		return err
	}
	target, of := strings.CutPrefix(stem, "xbot_"+c.version+"_")
	system, machine, _ := strings.Cut(target, "_")
	if !of || machine == "" {
		return fmt.Errorf("its name does not say version %s and a target", c.version)
	}
	for _, program := range programs {
		content, ok := files[stem+"/"+program]
		if !ok {
			return fmt.Errorf("%s is missing", program)
		}
		if err := c.program(program, content, system, machine); err != nil {
			return fmt.Errorf("%s: %w", program, err)
		}
		c.archived[target+"/"+program] = digest(content)
	}
	for _, text := range []string{"LICENSE", "CHANGELOG.md"} {
		if len(files[stem+"/"+text]) == 0 {
			return fmt.Errorf("%s is missing", text)
		}
	}
	return nil
}

// program checks a binary: for its machine, static, without paths of the machine that built it, of modules that are listed,
// and, where it can run here, of the right version.
func (c *checker) program(name string, content []byte, system, machine string) error {
	binary, err := writeProgram(content)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(filepath.Dir(binary)) }() // a temporary folder
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	for key, want := range map[string]string{"GOOS": system, "GOARCH": machine, "CGO_ENABLED": "0", "-trimpath": "true"} {
		if got := setting(info, key); got != want {
			return fmt.Errorf("it was built with %s=%q, not %q", key, got, want)
		}
	}
	for _, m := range modulesOf(info) {
		if !c.listed[m.BOMRef] {
			return fmt.Errorf("the document does not list %s", m.BOMRef)
		}
	}
	if system == "linux" {
		if err := static(binary); err != nil {
			return err
		}
	}
	if system != runtime.GOOS || machine != runtime.GOARCH {
		return nil
	}
	said, err := exec.Command(binary, "version").Output()
	if err != nil {
		return fmt.Errorf("ask for its version: %w", err)
	}
	if got := strings.TrimPrefix(strings.TrimSpace(string(said)), name+" "); got != c.version {
		return fmt.Errorf("it calls itself version %q", got)
	}
	return nil
}

func writeProgram(content []byte) (string, error) {
	dir, err := os.MkdirTemp("", "dist")
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "program")
	return binary, os.WriteFile(binary, content, 0o700) //nolint:gosec // it is to be run
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// static says which loader a Linux program needs, if any.
func static(binary string) error {
	program, err := elf.Open(binary)
	if err != nil {
		return err
	}
	defer program.Close() // read only
	for _, part := range program.Progs {
		if part.Type != elf.PT_INTERP {
			continue
		}
		loader, err := io.ReadAll(part.Open())
		if err != nil {
			return err
		}
		return fmt.Errorf("it is not static: it needs %s", strings.TrimRight(string(loader), "\x00"))
	}
	return nil
}
