package deliver

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPlainRows strips the coloured capture of every recorded screen and compares it with the plain
// one that tmux made of the same screen.
func TestPlainRows(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ansi")
	if err != nil || len(files) == 0 {
		t.Fatal("no captures", err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".ansi")
		if got, want := plainRows(capture(t, name)), rowsOf(t, name); !slices.Equal(got, want) {
			t.Errorf("%s reads\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	for in, want := range map[string]string{
		"a\x1b]8;;http://x\x1b\\b\x1b]8;;\x07c": "abc",
		"\x0eqx\x0f|":                           "qx|",
		"\x1b(0q\x1b(Bz":                        "qz",
		"❯\u00a0  ":                             "❯\u00a0",
		"\x1b":                                  "",
		"x\x1b[38;5":                            "x",
		"x\x1b]8;;never ends":                   "x",
	} {
		if got := plainRows(in); len(got) != 1 || got[0] != want {
			t.Errorf("%q reads %q, want %q", in, got, want)
		}
	}
}

func FuzzPlainRows(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.ansi")
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Add("\x1b]8;;\x1b")
	f.Fuzz(func(t *testing.T, capture string) {
		rows := plainRows(capture)
		if want := strings.Count(strings.TrimSuffix(capture, "\n"), "\n") + 1; capture != "" && capture != "\n" && len(rows) != want {
			t.Errorf("%d rows, want %d", len(rows), want)
		}
		for _, row := range rows {
			if strings.ContainsAny(row, "\x1b\x0e\x0f") || strings.HasSuffix(row, " ") {
				t.Errorf("row %q", row)
			}
		}
	})
}
