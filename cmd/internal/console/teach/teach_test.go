package teach

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nod/cmd/internal/console"
	"nod/detect/taught"
)

const dialog = `
╭────────────────────────────────────────╮
│ Werkzeug: Shell                        │
│                                        │
│ rm -rf build                           │
│                                        │
│ Soll dieser Befehl ausgeführt werden?  │
│                                        │
│ ❯ Ja                                   │
│   Ja, immer                            │
│   Nein                                 │
╰────────────────────────────────────────╯
`

func taughtBy(t *testing.T, in io.Reader, ctx context.Context) (taught.Folder, string, error) {
	t.Helper()
	folder := taught.Folder(filepath.Join(t.TempDir(), "taught"))
	var said strings.Builder
	err := Run(ctx, Config{In: in, Out: &said, Folder: folder, Agent: "acme", Screen: dialog})
	return folder, said.String(), err
}

const openDialog = `● Ich räume auf.

  rm -rf build

Soll dieser Befehl ausgeführt werden?
❯ Ja
  Nein

Bitte eine Zahl drücken!
`

// TestARefusalLosesNothing: an impossible answer is asked again and the rest is kept; no question is asked
// whose answer would be refused at the end.
func TestARefusalLosesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		shown, answers string
		says           []string
		kept           bool
	}{
		"a hint under the answers": {openDialog, "2\n4-5\ny\n1\n2\nshell\n",
			[]string{"Is this below its answers whenever it waits: \"Bitte eine Zahl drücken!\"?"}, true},
		"a head below the command": {openDialog, "3\n4-5\ny\nn\n2\ny\ny\n1\n2\nshell\n",
			[]string{"may belong to it", "Does it begin with \"Soll dieser Befehl ausgeführt werden?\" all the same?"}, true},
		"an answer that is none":    {openDialog, "2\n4,6\n0\nn\n4-5\ny\n1\n2\nshell\n", []string{"nod does not find it again by that", "(0: as before)"}, true},
		"one answer for yes and no": {openDialog, "2\n4-5\ny\n1\n1\n1\n2\nshell\n", []string{"That can't be: one label can't mean yes and no"}, true},
		"a name that is none":       {openDialog, "2\n4-5\ny\n1\n2\nMy Shell\nshell\n", []string{"\"My Shell\" can't be its name"}, true},
		"nod's own reading":         {strings.Replace(strings.Replace(dialog, "❯ Ja   ", "❯ ✓ Ja ", 1), "  Nein  ", "  ✗ Nein", 1), "1\ny\n1\n3\nshell\n", []string{"Are these all of its answers"}, true},
		"an idle agent":             {openDialog + "────────────────\n❯ \n────────────────\n", "", []string{}, false},
	} {
		folder := taught.Folder(filepath.Join(t.TempDir(), "taught"))
		var said strings.Builder
		err := Run(t.Context(), Config{In: strings.NewReader(c.answers), Out: &said, Folder: folder, Agent: "acme", Screen: c.shown})
		lessons, _ := folder.Read()
		if (err == nil) != c.kept || (len(lessons) == 1) != c.kept {
			t.Errorf("%s: %v, kept %+v\n%s", name, err, lessons, said.String())
			continue
		}
		for _, want := range c.says {
			if !strings.Contains(said.String(), want) {
				t.Errorf("%s: it did not say %q:\n%s", name, want, said.String())
			}
		}
		if !c.kept {
			if said.Len() > 0 {
				t.Errorf("%s: it asked before it refused:\n%s", name, said.String())
			}
			continue
		}
		if use, _ := Try(folder, lessons[0]); use != Good {
			t.Errorf("%s: it is %s", name, use)
		}
	}
}

// TestADialogIsTaughtAndTried: the lesson is stored, and works on the screen on which it was taught.
func TestADialogIsTaughtAndTried(t *testing.T) {
	folder, said, err := taughtBy(t, strings.NewReader("1\nn\n4\n9\n4-6\n1\n3\nacme-shell\n"), t.Context())
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, want := range []string{"yes, for this once: Down Up Enter\n", "Two rows at least, from 1 to 6.", "make taught NAME=acme-shell"} {
		if !strings.Contains(said, want) {
			t.Errorf("it did not say %q:\n%s", want, said)
		}
	}
	lessons, problems := folder.Read()
	if len(lessons) != 1 || len(problems) > 0 {
		t.Fatalf("kept %+v, %v", lessons, problems)
	}
	if use, prompt := Try(folder, lessons[0]); use != Good || !slices.Equal(prompt.Approve, []string{"Down", "Up", "Enter"}) {
		t.Errorf("%s, %+v", use, prompt)
	}
	other := lessons[0]
	other.Head = "Tool: Shell"
	if use, _ := Try(folder, other); use != Useless {
		t.Errorf("with another head it is %s", use)
	}
	other.Name = "gone"
	if use, _ := Try(folder, other); use != Untried {
		t.Errorf("without its screen it is %s", use)
	}
}

// TestNothingIsKeptOfHalfAConversation: if the input ends, or Ctrl-C ends a question.
func TestNothingIsKeptOfHalfAConversation(t *testing.T) {
	folder, _, err := taughtBy(t, strings.NewReader("1\ny\n1\n"), t.Context())
	if !errors.Is(err, console.ErrClosed) {
		t.Errorf("the input has ended: %v", err)
	}
	if lessons, _ := folder.Read(); len(lessons) > 0 {
		t.Errorf("kept %+v", lessons)
	}
	in, open := io.Pipe()
	defer open.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = open.Write([]byte("1\n")) // taken when it is read
		cancel()
	}()
	folder, _, err = taughtBy(t, in, ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if lessons, _ := folder.Read(); len(lessons) > 0 {
		t.Errorf("kept %+v", lessons)
	}
}

func TestRowsOf(t *testing.T) {
	for text, want := range map[string][]int{
		"5-7": {5, 6, 7}, "5,7": {5, 7}, " 1 - 2 , 9": {1, 2, 9}, "0-2": nil, "7-10": nil, "3-2": nil, "": nil, "a": nil, "1-": nil,
	} {
		if got, ok := rowsOf(text, 9); !slices.Equal(got, want) && ok || ok != (want != nil) {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
}
