package deploy

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

// jsonc generates the text of a settings file as people write them, with comments anywhere, each with its own
// number.
type jsonc struct {
	*rand.Rand
	notes int
}

func (j *jsonc) gap() string {
	switch j.IntN(6) {
	case 0:
		j.notes++
		return fmt.Sprintf(" // note %d.\n", j.notes)
	case 1:
		j.notes++
		return fmt.Sprintf("/* note %d. */", j.notes)
	case 2:
		return "\r\n\t"
	}
	return []string{"", " ", "\n  "}[j.IntN(3)]
}

func (j *jsonc) list(open, end string, items []string) string {
	var b strings.Builder
	b.WriteString(j.gap() + open)
	for i, item := range items {
		if i > 0 {
			b.WriteString(j.gap() + ",")
		}
		b.WriteString(j.gap() + item)
	}
	if len(items) > 0 && j.IntN(3) == 0 {
		b.WriteString(j.gap() + ",")
	}
	b.WriteString(j.gap() + end + j.gap())
	return b.String()
}

func (j *jsonc) file() string {
	own := `{"matcher": "Bash",` + j.gap() + `"hooks": [{"type": "command", "command": "/opt/guard"}]}`
	var events []string
	for _, event := range []string{"Stop", "PreToolUse", "SessionStart"} {
		if j.IntN(2) == 0 {
			events = append(events, `"`+event+`"`+j.gap()+":"+j.list("[", "]", []string{own, own}[:j.IntN(3)]))
		}
	}
	members := []string{`"model"` + j.gap() + `: "opus"`}
	if j.IntN(3) > 0 {
		members = append(members, `"hooks":`+j.list("{", "}", events))
	}
	if j.IntN(2) == 0 {
		members = append(members, `"a":`+j.list("[", "]", []string{"1", "[]", "{}"}[:j.IntN(4)]))
	}
	j.Shuffle(len(members), func(a, b int) { members[a], members[b] = members[b], members[a] })
	return j.list("{", "}", members) + "\n"
}

// TestUninstallLeavesWhatThePersonWrote: every comment and value stays, even if it was written after nod was
// installed, beside nod's own lines.
func TestUninstallLeavesWhatThePersonWrote(t *testing.T) {
	t.Parallel()
	r := draws(t)
	at := place(t, "2.1.329")
	for range 300 {
		j := &jsonc{Rand: r}
		before := j.file()
		h := hook(t, "claude", at, before)
		must(t, true, func() (bool, error) { return h.Install("/bin/nod") })
		installed := text(t, h.Path)
		for i := 1; i <= j.notes; i++ {
			if note := fmt.Sprintf("note %d.", i); strings.Count(installed, note) != strings.Count(before, note) {
				t.Fatalf("note %d is lost by the installation of\n%s\nwhich is\n%s", i, before, installed)
			}
		}
		changed := strings.Replace(installed, `"opus"`, `"sonnet"`, 1)
		ours := "{\"matcher\":\"\",\"hooks\":[{\"type\":\"command\",\"command\":\"/bin/nod hook claude\""
		if at := strings.Index(changed, ours); r.IntN(2) == 0 && at >= 0 {
			changed = changed[:at] + "/* beside */ " + changed[at:]
		}
		if err := os.WriteFile(h.Path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		must(t, true, func() (bool, error) { return h.Uninstall() })
		after := text(t, h.Path)
		a, errA := hujson.Standardize([]byte(after))
		b, errB := hujson.Standardize([]byte(strings.Replace(before, `"opus"`, `"sonnet"`, 1)))
		if errA != nil || errB != nil || !sameButEmpty(a, b) {
			t.Fatalf("%v, %v: of\n%s\nwas left\n%s", errA, errB, before, after)
		}
		for i := 1; i <= j.notes; i++ {
			if note := fmt.Sprintf("note %d.", i); strings.Count(after, note) != strings.Count(before, note) {
				t.Fatalf("note %d is lost of\n%s\ninstalled\n%s\nleft\n%s", i, before, changed, after)
			}
		}
		if strings.Contains(changed, "beside") && !strings.Contains(after, "beside") {
			t.Fatalf("the note beside nod's lines is lost of\n%s\nleft\n%s", changed, after)
		}
		os.Remove(h.Path)
		os.Remove(h.Path + ".before-nod")
	}
}

// sameButEmpty compares two files, except for an empty list of hooks: nod can't know whose that was.
func sameButEmpty(a, b []byte) bool {
	strip := func(s []byte) string {
		text := strings.Join(strings.Fields(string(s)), "")
		for range 4 {
			for _, event := range []string{"Stop", "PreToolUse", "SessionStart"} {
				text = strings.ReplaceAll(text, `"`+event+`":[]`, "")
			}
			text = strings.NewReplacer(",,", ",", "{,", "{", ",}", "}", `"hooks":{}`, "").Replace(text)
		}
		return text
	}
	return strip(a) == strip(b)
}
