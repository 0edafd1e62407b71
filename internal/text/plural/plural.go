// Package plural formats counts in words.
package plural

import "fmt"

// Of returns "1 pane" or "2 panes".
func Of(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
