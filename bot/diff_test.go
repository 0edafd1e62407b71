package bot_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/botapi"
)

// edited lets the agent in pane n be done with a turn in which it has changed something.
func (w *world) edited(n int, edits ...detect.Edit) botapi.Record {
	w.t.Helper()
	s := sighting(n, screen.Idle, nil)
	s.Worked, s.Words, s.Edits = true, "All done.", edits
	w.see(s)
	return w.last()
}

// randomEdits are edits of so many lines each.
func randomEdits(r *rand.Rand, n, lines int) (edits []detect.Edit) {
	for i := range n {
		e := detect.Edit{Path: fmt.Sprintf("src/%d.go", i), Diff: "@@\n"}
		for range lines {
			if r.IntN(2) == 0 {
				e.Added++
				e.Diff += fmt.Sprintf("+line %d\n", r.IntN(1000))
			} else {
				e.Removed++
				e.Diff += fmt.Sprintf("-line <%d>\n", r.IntN(1000))
			}
		}
		edits = append(edits, e)
	}
	return edits
}

// TestADoneMessageSaysWhatChanged, and Diff shows all of it: in a message where that fits, else in a file; also after a restart.
func TestADoneMessageSaysWhatChanged(t *testing.T) {
	seed := rand.Uint64()
	for round := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, round))
		inWorld(t, func(w *world) {
			edits := randomEdits(r, 1+r.IntN(5), []int{1, 10, 400}[r.IntN(3)])
			edits = append(edits, edits[0]) // one file may be edited twice
			added, removed, whole := 0, 0, ""
			for _, e := range edits {
				added, removed, whole = added+e.Added, removed+e.Removed, whole+"\n"+e.Path+"\n"+e.Diff
			}
			whole = whole[1:]
			files := "1 file"
			if len(edits) > 2 {
				files = fmt.Sprintf("%d files", len(edits)-1)
			}
			line := fmt.Sprintf("%s, +%d −%d", files, added, removed)
			m := w.edited(1, edits...)
			wantText(t, m, "is done: All done.", line+"\nReply with the next instruction.\nmain:1.0 · #")
			if r.IntN(2) == 0 {
				w.restart()
			}
			w.tap(m, "Diff")
			time.Sleep(5 * time.Second)
			shown := w.last()
			wantText(t, shown, "📝 claude in api1: "+line)
			if !shown.Silent || shown.ReplyID != m.ID {
				t.Errorf("it is silent: %v, and replies to %d, want %d", shown.Silent, shown.ReplyID, m.ID)
			}
			if len(whole) > 5000 {
				var file string
				for _, one := range w.botSaid() {
					if one.Document != nil {
						_, data, _ := w.tg.File(one.Document.FileID)
						file = string(data)
					}
				}
				if file != whole {
					t.Errorf("the file has %d bytes, want %d", len(file), len(whole))
				}
			} else if !strings.Contains(shown.Text, strings.TrimSpace(whole)) {
				t.Errorf("the diff\n%s\nis not in\n%s", whole, shown.Text)
			}
			w.wantTyped()
		})
		if t.Failed() {
			t.Fatalf("round %d of seed %d", round, seed)
		}
	}
}

// TestNothingIsSaidOfWhatNoHookTold: no line, no button.
func TestNothingIsSaidOfWhatNoHookTold(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.done(1, "All done.")
		if labelWith(m, "Diff") != "" || strings.Contains(m.Text, "file") {
			t.Errorf("it says\n%s\n%v", m.Text, m.Markup)
		}
	})
}

// TestADiffIsMaskedAndGoneWithItsTurn: a secret in it leaves in no form, and once the agent goes on nothing of it is kept.
func TestADiffIsMaskedAndGoneWithItsTurn(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(masking)
		secret := "ghp_" + strings.Repeat("k7Qz", 9)
		edits := randomEdits(rand.New(rand.NewPCG(1, 1)), 1, 300)
		edits[0].Path += "/" + secret
		edits[0].Diff += "+export GITHUB_TOKEN=" + secret + "\n+-----BEGIN RSA PRIVATE KEY-----\n+MIIEow9" + strings.Repeat("pKq8", 14) + "\n"
		m := w.edited(1, edits...)
		w.tap(m, "Diff")
		time.Sleep(5 * time.Second)
		for _, c := range w.tg.Calls("") {
			for name, value := range c.Params {
				if strings.Contains(value, secret) || strings.Contains(value, "pKq8") {
					t.Errorf("%s tells a secret in %s", c.Method, name)
				}
			}
		}
		for _, one := range w.botSaid() {
			if one.Document != nil {
				if _, data, _ := w.tg.File(one.Document.FileID); strings.Contains(string(data), secret) || strings.Contains(string(data), "pKq8") {
					t.Error("the file tells a secret")
				}
			}
		}
		data := m.Markup.Rows[0]
		w.see(sighting(1, screen.Working, nil))
		time.Sleep(5 * time.Second)
		wantNoButtons(t, w.message(m.ID))
		for _, b := range data {
			if strings.Contains(b.Text, "Diff") {
				w.toastOf(w.ann.TapData(m.ID, b.Data), "nod keeps that no longer than the agent waits.")
			}
		}
		n := w.find(idOf(t, m))
		record, err := n.MarshalJSON()
		if err != nil || strings.Contains(string(record), "Edits") {
			t.Errorf("the record keeps it: %v", err)
		}
	})
}

// TestADiffRunsNothing: Diff comes from what hooks told, and no program is asked, not even where the agent's folder has a git that
// would run one.
func TestADiffRunsNothing(t *testing.T) {
	trap := t.TempDir()
	if err := os.WriteFile(trap+"/git", []byte("#!/bin/sh\ntouch "+trap+"/ran\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", trap)
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) { s.Preview = "full" })
		w.tap(w.edited(1, randomEdits(rand.New(rand.NewPCG(2, 2)), 2, 5)...), "Diff")
	})
	if _, err := os.Stat(trap + "/ran"); err == nil {
		t.Error("git was run")
	}
}
