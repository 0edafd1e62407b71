// Package agentname says what an agent may be called.
package agentname

import "nod/internal/text/lazy"

var form = lazy.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// Is reports whether name has the form of an agent's name: a word such as claude. What one called nod asks would look like nod's own
// question.
func Is(name string) bool { return name != "nod" && form().MatchString(name) }
