// Package near finds the name that a misspelt one probably means.
package near

// To returns the name in among that is closest to name: at most a third of its letters and at most three may
// differ. It returns "" if none is that close.
func To(name string, among []string) string {
	best, distance := "", min(len(name)/3, 3)+1
	for _, other := range among {
		if d := edits(name, other); d < distance {
			best, distance = other, d
		}
	}
	return best
}

// edits counts the edits between a and b: insert, remove or replace a letter, or swap two neighbours.
func edits(a, b string) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
		table[i][0] = i
	}
	for j := range table[0] {
		table[0][j] = j
	}
	for i := range len(a) {
		for j := range len(b) {
			replaced := table[i][j]
			if a[i] != b[j] {
				replaced++
			}
			fewest := min(table[i][j+1]+1, table[i+1][j]+1, replaced)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				fewest = min(fewest, table[i-1][j-1]+1)
			}
			table[i+1][j+1] = fewest
		}
	}
	return table[len(a)][len(b)]
}
