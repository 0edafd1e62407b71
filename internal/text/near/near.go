// Package near finds the name that a misspelt one was probably meant to be.
package near

// To is the name among some that differs least from name, in a third of its letters and three of them at most; empty: none.
func To(name string, among []string) string {
	best, distance := "", min(len(name)/3, 3)+1
	for _, other := range among {
		if d := edits(name, other); d < distance {
			best, distance = other, d
		}
	}
	return best
}

// edits counts the letters to insert, remove, replace, or swap with their neighbour between a and b.
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
