package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// The linker sets these in a build by `make` or deploy/install.sh: see deploy/stamp. In other builds they are
// empty, and the go command's build info is used.
var release, commit, date string

func (p *program) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "print nod's version, commit and date",
		Long:  "Prints nod's version, commit and date, and what it was built with and for.",
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				b := built()
				return printJSON(p.out, map[string]string{
					"version": b.release, "commit": b.commit, "date": b.date, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			fmt.Fprintln(p.out, fullVersion())
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// fullVersion returns the release and its origin.
func fullVersion() string {
	b := built()
	var origin []string
	if b.commit != "" {
		origin = append(origin, "commit "+b.commit[:min(12, len(b.commit))]+" of "+b.date)
	}
	origin = append(origin, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	return fmt.Sprintf("nod %s (%s)", b.release, strings.Join(origin, ", "))
}

// build says what this program was built from. date is the commit's date; commit and date are empty if
// unknown.
type build struct{ release, commit, date string }

// version returns the release, for the log and for programs.
func version() string { return built().release }

func built() build {
	if release != "" {
		return build{release, commit, date}
	}
	var b build
	if info, ok := debug.ReadBuildInfo(); ok {
		b.release = info.Main.Version
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.commit = s.Value
			case "vcs.time":
				b.date, _, _ = strings.Cut(s.Value, "T")
			}
		}
	}
	if b.release == "(devel)" {
		b.release = ""
	}
	b.release = cmp.Or(b.release, "devel")
	return b
}
