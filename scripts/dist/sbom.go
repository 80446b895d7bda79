package main

import (
	"cmp"
	"debug/buildinfo"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// whole is the BOM reference of the release; those of the programs are their names.
const whole = "release"

// release is a release of xbot that an SBOM describes.
type release struct {
	version string
	commit  string
	time    time.Time
}

// describe returns the SBOM of a release: its programs, the Go modules and the standard library in their binaries, and the packages of the page.
// The result does not depend on the time or the machine of the build.
func (r release) describe(page string, binaries []string) (*cyclonedx.BOM, error) {
	doc := cyclonedx.NewBOM()
	self := cyclonedx.Component{
		BOMRef: whole, Type: cyclonedx.ComponentTypeApplication, Name: "xbot", Version: r.version,
		Licenses:   &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "MIT"}}},
		Properties: &[]cyclonedx.Property{{Name: "xbot:commit", Value: r.commit}},
	}
	doc.Metadata = &cyclonedx.Metadata{Timestamp: r.time.UTC().Format(time.RFC3339), Component: &self}
	parts := map[string]cyclonedx.Component{}
	uses := map[string]map[string]bool{whole: {}}
	for _, binary := range binaries {
		if err := r.addProgram(parts, uses, binary); err != nil {
			return nil, err
		}
	}
	if err := r.addPage(parts, uses, page); err != nil {
		return nil, err
	}
	doc.Components = new(sorted(parts))
	doc.Dependencies = new(dependencies(uses))
	return doc, nil
}

// addProgram adds a program with the modules in its binary. Call it for the binary of each target: the modules are merged.
func (r release) addProgram(parts map[string]cyclonedx.Component, uses map[string]map[string]bool, binary string) error {
	name := filepath.Base(binary)
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return fmt.Errorf("read what %s is made of: %w", binary, err)
	}
	parts[name] = cyclonedx.Component{BOMRef: name, Type: cyclonedx.ComponentTypeApplication, Name: name, Version: r.version}
	uses[whole][name] = true
	if uses[name] == nil {
		uses[name] = map[string]bool{}
	}
	for _, module := range modulesOf(info) {
		parts[module.BOMRef] = module
		uses[name][module.BOMRef] = true
	}
	return nil
}

// modulesOf returns the modules in a binary, and the standard library. A module that is replaced is listed as its replacement.
func modulesOf(info *debug.BuildInfo) []cyclonedx.Component {
	found := []cyclonedx.Component{module("std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		switch {
		case m.Replace == nil:
			found = append(found, module(m.Path, m.Version))
		case strings.HasPrefix(m.Replace.Path, "."):
			own := module(m.Path, "0.0.0")
			own.Description = "Stands in for the module of this name and is part of xbot's sources: " + m.Replace.Path
			found = append(found, own)
		default:
			found = append(found, module(m.Replace.Path, m.Replace.Version))
		}
	}
	return found
}

func module(path, version string) cyclonedx.Component {
	purl := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return cyclonedx.Component{BOMRef: purl, Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: purl}
}

// addPage adds the packages of the page from the SBOM of npm, and the page as a dependency of xbot.
func (r release) addPage(parts map[string]cyclonedx.Component, uses map[string]map[string]bool, file string) error {
	text, err := os.Open(file)
	if err != nil {
		return err
	}
	defer text.Close() // read only
	page := &cyclonedx.BOM{}
	if err := cyclonedx.NewBOMDecoder(text, cyclonedx.BOMFileFormatJSON).Decode(page); err != nil {
		return fmt.Errorf("read what npm says of the page: %w", err)
	}
	if page.Metadata == nil || page.Metadata.Component == nil || page.Components == nil || page.Dependencies == nil {
		return fmt.Errorf("%s does not say what the page is made of", file)
	}
	root := *page.Metadata.Component
	root.Name, root.Version, root.PackageURL = "xbot-web", r.version, ""
	for _, part := range append(*page.Components, root) {
		part.Properties = nil // where npm puts its files
		parts[part.BOMRef] = part
	}
	for _, d := range *page.Dependencies {
		uses[d.Ref] = map[string]bool{}
		if d.Dependencies == nil {
			continue
		}
		for _, ref := range *d.Dependencies {
			uses[d.Ref][ref] = true
		}
	}
	if uses["xbot"] != nil { // the page is in this program
		uses["xbot"][root.BOMRef] = true
	}
	return nil
}

func sorted(parts map[string]cyclonedx.Component) []cyclonedx.Component {
	return slices.SortedFunc(maps.Values(parts), func(a, b cyclonedx.Component) int { return cmp.Compare(a.BOMRef, b.BOMRef) })
}

func dependencies(uses map[string]map[string]bool) []cyclonedx.Dependency {
	var out []cyclonedx.Dependency
	for _, ref := range slices.Sorted(maps.Keys(uses)) {
		out = append(out, cyclonedx.Dependency{Ref: ref, Dependencies: new(slices.Sorted(maps.Keys(uses[ref])))})
	}
	return out
}

func encode(w io.Writer, doc *cyclonedx.BOM) error {
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).Encode(doc)
}
