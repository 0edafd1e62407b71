package nudge

import (
	"math/rand/v2"
	"strings"
)

// An id is typed on a phone and read aloud: lower case, no l, 1, i, o or 0, and always with a digit
// in the second place, so that no word ("y yes", "n deny") is ever taken for one.
const (
	idLetters = "abcdefghjkmnpqrstuvwxyz"
	idDigits  = "23456789"
)

// NewID returns an id for which taken is false. It has three characters, or one more after each 32 taken
// guesses in a row.
func NewID(taken func(id string) bool) string {
	for length := 3; ; length++ {
		for range 32 {
			if id := guessID(length); !taken(id) {
				return id
			}
		}
	}
}

func guessID(length int) string {
	id := make([]byte, length)
	for i := range id {
		id[i] = idLetters[rand.IntN(len(idLetters))]
	}
	id[1] = idDigits[rand.IntN(len(idDigits))]
	return string(id)
}

// isID reports whether text could be an id that NewID made.
func isID(text string) bool {
	if len(text) < 3 || len(text) > 8 || !strings.Contains(idDigits, text[1:2]) {
		return false
	}
	return strings.Trim(text[:1]+text[2:], idLetters) == ""
}
