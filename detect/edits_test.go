package detect

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestEditsOfRecordedHooks: what real agents' events report of their edits is counted, and what a tool has read, asked or run is none.
func TestEditsOfRecordedHooks(t *testing.T) {
	var got []string
	for _, r := range recordedHooks(t) {
		e, err := ParseHook(r.Agent, r.In, r.Tmux, r.Pane)
		if err != nil {
			t.Fatal(err)
		}
		for _, edit := range e.Edits {
			got = append(got, fmt.Sprintf("%s %s +%d -%d\n%s", e.Tool, edit.Path, edit.Added, edit.Removed, edit.Diff))
		}
		if len(e.Edits) > 0 && e.Kind != Ran {
			t.Errorf("%s tells edits: they are not made yet", e.Event)
		}
	}
	want := []string{
		"Write rig-new.txt +2 -0\n@@\n+hello from the rig\n+second line\n",
		"Edit main.py +1 -1\n@@ -1,1 +1,1 @@\n-print(\"hello\")\n+print(\"hello, rig\")\n",
		"Write /tmp/try/home/.claude/plans/scenario-plan-snazzy-kitten.md +5 -0\n@@\n+# Rig plan\n+\n+1. Create a file\n+2. Run the tests\n+3. Report\n",
	}
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestAnEditIsOfTheFileThatTheToolReads: the model may give a tool more fields than it reads.
func TestAnEditIsOfTheFileThatTheToolReads(t *testing.T) {
	input := `{"file_path":"/p/a","edits":[{"old_string":"1","new_string":"2","New_String":"3"}],"FILE_PATH":"/p/b","Edits":[]}`
	edits := editsOf(json.RawMessage(input), nil, "/p")
	if len(edits) != 1 || edits[0].Path != "a" || edits[0].Diff != "@@\n-1\n+2\n" {
		t.Errorf("%+v", edits)
	}
}

// randomLines are lines of a file, some of which look like those of a diff.
func randomLines(r *rand.Rand, n int) (lines []string) {
	for range n {
		lines = append(lines, []string{"", "a", "b", "\tif x {", "-- a comment", "++i", "@@ here", "*** End", " indented"}[r.IntN(9)])
	}
	return lines
}

// TestAnEditIsWhatItTookAndGave: from the lines of its diff come the text before and after, up to what both have at their ends, and
// as many lines are counted as are shown; in an edit, in one of several parts, and in a file that is written.
func TestAnEditIsWhatItTookAndGave(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for range 300 {
		before := randomLines(r, r.IntN(12))
		after := slices.Clone(before)
		for range r.IntN(3) {
			i := r.IntN(len(after) + 1)
			after = slices.Concat(after[:i], randomLines(r, r.IntN(3)), after[min(len(after), i+r.IntN(2)):])
		}
		part := map[string]string{"old_string": strings.Join(before, "\n"), "new_string": strings.Join(after, "\n")}
		input := map[string]any{"file_path": "/p/src/a.go", "edits": []any{part}}
		if r.IntN(2) == 0 {
			input = map[string]any{"file_path": "/p/src/a.go", "old_string": part["old_string"], "new_string": part["new_string"]}
		}
		data, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		edits := editsOf(data, nil, "/p")
		if len(edits) != 1 {
			t.Fatalf("seed %d: %d edits of %s", seed, len(edits), data)
		}
		e := edits[0]
		var old, now []string
		for _, l := range linesOf(e.Diff)[1:] {
			if l[0] != '+' {
				old = append(old, l[1:])
			}
			if l[0] != '-' {
				now = append(now, l[1:])
			}
		}
		added, removed := strings.Count("\n"+e.Diff, "\n+"), strings.Count("\n"+e.Diff, "\n-")
		if e.Path != "src/a.go" || e.Added != added || e.Removed != removed || added-removed != len(linesOf(part["new_string"]))-len(linesOf(part["old_string"])) {
			t.Errorf("seed %d: %s: +%d -%d\n%s", seed, e.Path, e.Added, e.Removed, e.Diff)
		}
		if !holds(linesOf(part["old_string"]), old) || !holds(linesOf(part["new_string"]), now) {
			t.Errorf("seed %d: the diff of\n%q\nand\n%q\nis\n%s", seed, before, after, e.Diff)
		}
	}
}

// holds reports whether some lines are in others, one below the other.
func holds(all, some []string) bool {
	for i := 0; i+len(some) <= len(all); i++ {
		if slices.Equal(all[i:i+len(some)], some) {
			return true
		}
	}
	return false
}

// TestEditsOfAPatchAreThoseOfEachFile, also where lines of the files look like parts of a patch.
func TestEditsOfAPatchAreThoseOfEachFile(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 2))
	for range 300 {
		patch, want := "*** Begin Patch\n", []string(nil)
		unified := r.IntN(2) == 0
		if unified {
			patch = ""
		}
		for i := range 1 + r.IntN(3) {
			file := fmt.Sprintf("src/%d.go", i)
			head := "*** Update File: " + file + "\n@@\n"
			if unified {
				head = "Index: " + file + "\n=====\n--- " + file + "\n+++ " + file + "\n@@ -1 +1 @@\n"
			}
			patch += head
			added, removed := 1+r.IntN(4), r.IntN(4)
			for _, l := range randomLines(r, removed) {
				patch += "-" + l + "\n"
			}
			for _, l := range randomLines(r, added) {
				patch += "+" + l + "\n"
			}
			want = append(want, fmt.Sprintf("%s +%d -%d", file, added, removed))
		}
		input := map[string]string{"command": patch + "*** End Patch\n"}
		if unified {
			input = map[string]string{"filepath": "/p/src/0.go", "diff": patch}
		}
		data, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range editsOf(data, nil, "/p") {
			got = append(got, fmt.Sprintf("%s +%d -%d", e.Path, e.Added, e.Removed))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: got %q, want %q of\n%s", seed, got, want, patch)
		}
	}
}

// TestEditsOfATurnAreBounded: however much is edited, no more than a little is kept, nothing that was counted is lost, and looks that
// were told before keep what they had.
func TestEditsOfATurnAreBounded(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 3))
	for range 20 {
		var kept []Edit
		added, told := 0, [][]Edit(nil)
		var copies []string
		for range r.IntN(600) {
			n := r.IntN(200)
			added += n
			more := newEdit(strings.Repeat("p", 1+r.IntN(300)), "", strings.Split(strings.TrimSuffix(strings.Repeat("+"+strings.Repeat("x", r.IntN(100))+"\n", n), "\n"), "\n"))
			if n == 0 {
				more = newEdit("empty", "", nil)
			}
			kept = addEdits(kept, []Edit{more})
			if r.IntN(20) == 0 {
				told, copies = append(told, kept), append(copies, fmt.Sprint(kept))
			}
		}
		size, counted := 0, 0
		for _, e := range kept {
			size, counted = size+len(e.Path)+len(e.Diff), counted+e.Added
		}
		if size > editsBytes || len(kept) > editsLimit || counted != added {
			t.Errorf("seed %d: %d bytes in %d edits; %d of %d lines counted", seed, size, len(kept), counted, added)
		}
		for i := range told {
			if fmt.Sprint(told[i]) != copies[i] {
				t.Errorf("seed %d: what was told has changed", seed)
			}
		}
	}
}

// TestAnEditThatWasCutStaysCut: what is left of a diff that is too long may fit into what a turn has room for, and is cut all the same.
func TestAnEditThatWasCutStaysCut(t *testing.T) {
	long := newEdit("p", "", slices.Repeat([]string{"+" + strings.Repeat("x", 98)}, editsBytes/100+10))
	if !long.Cut {
		t.Fatal("all of the edit fits: the test proves nothing")
	}
	if turn := addEdits(addEdits(nil, []Edit{long}), nil); !turn[0].Cut {
		t.Error("an edit with lines left out is told as whole")
	}
}

// TestEditsAreToldWithTheirTurn, and with no other: what failed is none, and a turn that edits nothing tells nothing.
func TestEditsAreToldWithTheirTurn(t *testing.T) {
	idle, working := screenOf(t, "claude/2.1.329-idle-draft-80x24.txt"), screenOf(t, "claude/2.1.329-working-80x24.ansi")
	seed := rand.Uint64()
	for round := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, round))
		onePane(t, idle, func(w *Watcher, s *stage, a *audience) {
			for turn := range 4 {
				if r.IntN(2) == 0 { // some agents send none
					send(t, w, ofSession(Submitted))
				}
				s.show("%1", working)
				poll(2)
				want := 0
				for i := range r.IntN(3) {
					e := ofSession(Ran)
					e.Input = json.RawMessage(`{"file_path":"/p/a.go","content":"x"}`)
					if e.Failed = r.IntN(4) == 0; !e.Failed {
						want++
						e.Edits = []Edit{{Path: fmt.Sprintf("%d-%d.go", turn, i), Added: 1, Diff: "+x\n"}}
					}
					send(t, w, e)
				}
				if r.IntN(2) == 0 {
					send(t, w, ofSession(Stopped))
				}
				s.show("%1", idle)
				poll(3)
				got := last(t, a)
				if got.State != screen.Idle || len(got.Edits) != want || want > 0 && !strings.HasPrefix(got.Edits[0].Path, fmt.Sprint(turn)) {
					t.Fatalf("seed %d, round %d, turn %d: %s, told %+v, want %d", seed, round, turn, got.State, got.Edits, want)
				}
			}
		})
	}
}
