// Command dist is the part of "make dist" that reads binaries: it writes what a release is made of (sbom), and checks that a
// finished folder keeps what docs/install.md promises (check). scripts/make-dist calls it.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/alecthomas/kong"
)

// programs are what a release brings.
var programs = []string{"xbot", "xbot-cli", "xbot-runner", "xbot-temporal"}

type commands struct {
	SBOM  sbomCmd  `cmd:"" name:"sbom" help:"Print the CycloneDX document of a release."`
	Check checkCmd `cmd:"" help:"Check a folder that make dist has made."`
}

type sbomCmd struct {
	Version  string   `required:"" help:"Of the release."`
	Commit   string   `required:"" help:"That it is built from."`
	Epoch    int64    `required:"" help:"Time of that commit, in seconds."`
	Page     string   `required:"" type:"existingfile" help:"What npm sbom says of the page."`
	Binaries []string `arg:"" type:"existingfile" help:"Of all targets."`
}

func (c sbomCmd) Run() error {
	r := release{version: c.Version, commit: c.Commit, time: time.Unix(c.Epoch, 0)}
	doc, err := r.describe(c.Page, c.Binaries)
	if err != nil {
		return err
	}
	return encode(os.Stdout, doc)
}

type checkCmd struct {
	Version string `required:"" help:"Of the release."`
	Folder  string `arg:"" type:"existingdir" help:"What make dist has made."`
}

func (c checkCmd) Run() error {
	said, err := check(c.Folder, c.Version)
	if err == nil {
		fmt.Println(said)
	}
	return err
}

func main() {
	parsed := kong.Parse(&commands{}, kong.Name("dist"))
	parsed.FatalIfErrorf(parsed.Run())
}
