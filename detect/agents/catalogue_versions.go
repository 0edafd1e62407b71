package agents

import (
	"slices"
	"strconv"

	"nod/internal/text/lazy"
)

// versionNumbers is how a version begins: "2.1.329 (Claude Code)", "1.18.33". A dash begins the name of a trial of it.
var versionNumbers = lazy.MustCompile(`^\s*v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(-|\b)`)

// numbersOf reads a version; ok is false if s is no version, or a trial that came before one.
func numbersOf(version string) (numbers []int, ok bool) {
	found := versionNumbers().FindStringSubmatch(version)
	if found == nil || found[4] != "" {
		return nil, false
	}
	for _, digits := range found[1:4] {
		n, _ := strconv.Atoi(digits) // six of them at most
		numbers = append(numbers, n)
	}
	return numbers, true
}

// Proven are the versions of an agent in which something was proven, the newest first.
type Proven []string

// Takes reports whether an agent of a version is known to have it: the oldest version that was proven has it, and so have those that
// follow. An unreadable version is not known to have it.
func (p Proven) Takes(version string) bool {
	running, ok := numbersOf(version)
	oldest, proven := numbersOf(p[len(p)-1])
	return ok && proven && slices.Compare(running, oldest) >= 0
}
