package detect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Edit is one change of a file, as an agent's own event reported it after the change.
type Edit struct {
	Path           string // below the agent's folder where it lies there
	Added, Removed int    // lines
	// Diff has the lines, with their signs; if Cut, only the first ones.
	Diff string
	Cut  bool `json:",omitempty"`
}

// What is remembered of one turn's edits. Further edits are counted, without their lines.
const (
	editsLimit = 200
	editsBytes = 64 << 10
)

// addEdits puts edits behind those of the same turn, cut to what is remembered.
func addEdits(edits, more []Edit) []Edit {
	room := editsBytes
	for _, e := range edits {
		room -= len(e.Path) + len(e.Diff)
	}
	edits = slices.Clip(edits) // earlier sightings still hold it
	for _, e := range more {
		last := len(edits) - 1
		if room -= len(e.Path); len(edits) >= editsLimit || room < 0 {
			if edits = slices.Clone(edits); last >= 0 {
				edits[last].Added, edits[last].Removed, edits[last].Cut = edits[last].Added+e.Added, edits[last].Removed+e.Removed, true
			}
			continue
		}
		diff, cut := wholeLines(e.Diff, room)
		e.Diff, e.Cut = diff, e.Cut || cut
		room -= len(diff)
		edits = append(edits, e)
	}
	return edits
}

// wholeLines is as much of a text as fits, in whole lines, and whether something is missing.
func wholeLines(text string, room int) (string, bool) {
	if len(text) <= room {
		return text, false
	}
	return strings.Clone(text[:strings.LastIndexByte(text[:max(room, 0)], '\n')+1]), true
}

// hunk is a part of a unified diff as Claude Code gives it with the result of its edits (2.1.329, 1.0.128).
type hunk struct {
	OldStart, OldLines, NewStart, NewLines int
	Lines                                  []string
}

// replacement is one of the changes that the tools of an edit name.
type replacement struct{ Old, New string }

// several are the changes of a tool that makes more than one in a file, by the exact names of its fields: in a struct
// encoding/json would take "FILE_PATH" for "file_path".
func several(input json.RawMessage) (file string, parts []replacement) {
	var fields map[string]json.RawMessage
	var edits []map[string]any
	if json.Unmarshal(input, &fields) != nil || json.Unmarshal(fields["file_path"], &file) != nil || json.Unmarshal(fields["edits"], &edits) != nil {
		return "", nil
	}
	for _, e := range edits {
		was, _ := e["old_string"].(string)
		is, _ := e["new_string"].(string)
		parts = append(parts, replacement{was, is})
	}
	return file, parts
}

// editsOf are the edits of a tool that has run. Its input says what they are. A diff in its response says which lines they
// changed.
func editsOf(input, response json.RawMessage, cwd string) (edits []Edit) {
	var result struct{ StructuredPatch []hunk }
	_ = json.Unmarshal(response, &result) // a response of another form says no more
	in := parseToolInput(input)
	if in.patch {
		for _, file := range in.paths {
			edits = append(edits, newEdit(file, cwd, patchLines(in.section(file), in.diff)))
		}
		return edits
	}
	file, parts := several(input)
	if len(in.paths) == 1 {
		file, parts = in.paths[0], []replacement{{in.old, cmp.Or(in.replacement, in.content)}}
	}
	if file == "" || len(parts) == 0 {
		return nil
	}
	var lines []string
	for _, h := range result.StructuredPatch {
		lines = append(append(lines, fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldStart, h.OldLines, h.NewStart, h.NewLines)), h.Lines...)
	}
	if lines == nil {
		for _, p := range parts {
			lines = append(lines, p.lines()...)
		}
	}
	return []Edit{newEdit(file, cwd, lines)}
}

// edit are the lines of the edit that a call wants to make, with their signs. Several files are each preceded by their name. It is
// empty if the call makes no edit.
func (in *toolInput) edit() string {
	var diff strings.Builder
	switch {
	case in.patch:
		for _, file := range in.paths {
			if len(in.paths) > 1 {
				diff.WriteString(file + "\n")
			}
			diff.WriteString(newEdit(file, "", patchLines(in.section(file), in.diff)).Diff)
		}
	case len(in.paths) == 1:
		diff.WriteString(newEdit(in.paths[0], "", replacement{in.old, cmp.Or(in.replacement, in.content)}.lines()).Diff)
	}
	return diff.String()
}

// lines are those of a replacement. Some that stay at both of its ends are context.
func (r replacement) lines() []string {
	old, now := linesOf(r.Old), linesOf(r.New)
	same, end := 0, 0
	for same < min(len(old), len(now)) && old[same] == now[same] {
		same++
	}
	for end < min(len(old), len(now))-same && old[len(old)-1-end] == now[len(now)-1-end] {
		end++
	}
	lines := []string{"@@"}
	add := func(sign string, some []string) {
		for _, l := range some {
			lines = append(lines, sign+l)
		}
	}
	add(" ", old[max(0, same-contextLines):same])
	add("-", old[same:len(old)-end])
	add("+", now[same:len(now)-end])
	add(" ", old[len(old)-end:min(len(old), len(old)-end+contextLines)])
	return lines
}

const contextLines = 3

func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// patchLines are the lines of a patch's section that belong to its file, without its name.
func patchLines(section string, unified bool) (lines []string) {
	head := unified && strings.Contains(section, "\n@@")
	for _, l := range linesOf(section) {
		if head = head && !strings.HasPrefix(l, "@@"); !head && l != "" && strings.Contains("+- @", l[:1]) {
			lines = append(lines, l)
		}
	}
	return lines
}

func newEdit(path, cwd string, lines []string) Edit {
	e := Edit{Path: path}
	if below, err := filepath.Rel(cwd, path); err == nil && cwd != "" && filepath.IsLocal(below) {
		e.Path = below
	}
	var diff strings.Builder
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l, "+"):
			e.Added++
		case strings.HasPrefix(l, "-"):
			e.Removed++
		}
		diff.WriteString(cmp.Or(l, " ") + "\n")
	}
	e.Diff, e.Cut = wholeLines(diff.String(), editsBytes)
	return e
}
