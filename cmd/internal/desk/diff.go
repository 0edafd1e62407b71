package desk

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"nod/internal/text/lazy"
)

// File is what changes in one file.
type File struct {
	Name  string `json:"name,omitempty"` // empty: the diff names none
	Parts []Part `json:"parts"`
}

// Part is some lines of a File without their signs: a head, unchanged lines, or removed lines with those that replace them.
type Part struct {
	Head string   `json:"head,omitempty"` // where the next lines are, or what else is said of the file
	Same []string `json:"same,omitempty"`
	Old  []string `json:"old,omitempty"`
	New  []string `json:"new,omitempty"`
}

// bareHunk begins lines whose place is not known.
const bareHunk = "@@"

// editOf reads the lines of an agent's edit. A line without a sign names the file of the lines that follow.
func editOf(diff string) (all []File) {
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		if len(all) == 0 {
			all = append(all, File{})
		}
		if f := &all[len(all)-1]; !f.line(line) {
			if f.Name != "" || f.Parts != nil {
				all = append(all, File{})
			}
			all[len(all)-1].Name = line
		}
	}
	return all
}

// line adds a line of a diff, and reports whether it is one, by how it begins.
func (f *File) line(line string) bool {
	switch {
	case line == bareHunk:
	case strings.HasPrefix(line, bareHunk), strings.HasPrefix(line, "…"), strings.HasPrefix(line, `\`):
		f.Parts = append(f.Parts, Part{Head: line})
	case line == "":
		f.add(' ', "")
	case strings.Contains(" -+", line[:1]):
		f.add(line[0], line[1:])
	default:
		return false
	}
	return true
}

// add adds a line by its sign, to the last part if it continues that.
func (f *File) add(sign byte, text string) {
	last := len(f.Parts) - 1
	if last < 0 || f.Parts[last].Head != "" || (f.Parts[last].Same != nil) != (sign == ' ') || sign == '-' && f.Parts[last].New != nil {
		f.Parts = append(f.Parts, Part{})
		last++
	}
	p := &f.Parts[last]
	into := map[byte]*[]string{' ': &p.Same, '-': &p.Old, '+': &p.New}[sign]
	*into = append(*into, text)
}

// unifiedDiff reads a diff as diff and git write it. It returns nil if no hunk has as many lines as its head says: then the text is none.
func unifiedDiff(text string) (all []File) {
	var heads []string
	lines, hunks := strings.Split(strings.TrimRight(text, "\n"), "\n"), 0
	for at := 0; at < len(lines); {
		n := hunkLines(lines[at:])
		if n == 0 {
			heads = append(heads, lines[at])
			at++
			continue
		}
		if heads != nil || hunks == 0 {
			all, heads = append(all, headed(heads)...), nil
		}
		for _, line := range lines[at : at+n] {
			all[len(all)-1].line(line)
		}
		at, hunks = at+n, hunks+1
	}
	if hunks == 0 {
		return nil
	}
	if heads != nil {
		all = append(all, headed(heads)...)
	}
	return all
}

// hunkHead is the head of a hunk, with the numbers of its lines.
var hunkHead = lazy.MustCompile(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)

// hunkLines returns how many lines the hunk has that begins with the first line; 0: there is none, or it has other lines than its head says.
func hunkLines(lines []string) (n int) {
	m := hunkHead().FindStringSubmatch(lines[0])
	if m == nil {
		return 0
	}
	old, _ := strconv.Atoi(cmp.Or(m[1], "1")) // one that is too large has no hunk
	now, _ := strconv.Atoi(cmp.Or(m[2], "1"))
	for n = 1; n < len(lines); n++ {
		switch line := lines[n]; {
		case strings.HasPrefix(line, `\`):
		case old == 0 && now == 0:
			return n
		case strings.HasPrefix(line, "-"):
			old--
		case strings.HasPrefix(line, "+"):
			now--
		case line == "", line[0] == ' ':
			old--
			now--
		default:
			return 0
		}
		if old < 0 || now < 0 {
			return 0
		}
	}
	if old > 0 || now > 0 {
		return 0
	}
	return n
}

// headed returns the files that the heads name. The lines of the last one follow; its old and new name may be the last two heads.
func headed(heads []string) (all []File) {
	name := ""
	if n := len(heads) - 2; n >= 0 && strings.HasPrefix(heads[n], "--- ") && strings.HasPrefix(heads[n+1], "+++ ") {
		name, heads = nameOf(heads[n][4:], heads[n+1][4:]), heads[:n]
	}
	for _, line := range heads {
		switch {
		case strings.TrimSpace(line) == "":
		case all == nil || strings.HasPrefix(line, "diff "):
			all = append(all, File{Name: line})
		default:
			f := &all[len(all)-1]
			f.Parts = append(f.Parts, Part{Head: line})
		}
	}
	if all == nil {
		return []File{{Name: name}}
	}
	if last := &all[len(all)-1]; name != "" {
		if last.Name != "diff --git a/"+name+" b/"+name {
			last.Parts = slices.Insert(last.Parts, 0, Part{Head: last.Name})
		}
		last.Name = name
	}
	return all
}

// nameOf returns the name of a file from its old and its new one.
func nameOf(old, now string) string {
	a, inA := strings.CutPrefix(old, "a/")
	b, inB := strings.CutPrefix(now, "b/")
	if inA && inB && a == b || old == now {
		return b
	}
	return old + " → " + now
}
