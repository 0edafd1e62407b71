// Package lazy holds regular expressions that are compiled when they are first used: nod is started for every call of an
// agent's hook, which uses few of them.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a regular expression, which it compiles at its first call.
type Regexp func() *regexp.Regexp

// MustCompile returns the regular expression that is written so. If that is wrong, the first call panics.
func MustCompile(expression string) Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
