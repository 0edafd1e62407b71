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

// TestADialogIsTaughtAndTried: what was said of it is kept, and good for the screen that it was taught on.
func TestADialogIsTaughtAndTried(t *testing.T) {
	folder, said, err := taughtBy(t, strings.NewReader("1\nn\n4\n9\n4-6\n1\n3\nacme-shell\n"), t.Context())
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, want := range []string{"yes, for this once: Enter\n", "Two rows at least, from 1 to 6.", "make taught NAME=acme-shell"} {
		if !strings.Contains(said, want) {
			t.Errorf("it did not say %q:\n%s", want, said)
		}
	}
	lessons, problems := folder.Read()
	if len(lessons) != 1 || len(problems) > 0 {
		t.Fatalf("kept %+v, %v", lessons, problems)
	}
	if use, prompt := Try(folder, lessons[0]); use != Good || !slices.Equal(prompt.Approve, []string{"Enter"}) {
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

// TestNothingIsKeptOfHalfAConversation: the input ends, or Ctrl-C ends it while somebody is asked.
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
