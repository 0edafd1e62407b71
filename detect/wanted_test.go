package detect

import (
	"encoding/json"
	"strings"
	"testing"
)

func input(t testing.TB, fields map[string]any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestWhatIsVisibleOccursInTheRequest(t *testing.T) {
	command := func(text string) json.RawMessage {
		return input(t, map[string]any{"command": text, "description": "Build it all"})
	}
	patch := command("*** Begin Patch\n*** Add File: src/new.go\n+package x\n+\n+var y = 1\n*** End Patch")
	file := input(t, map[string]any{"file_path": "/p/src/new.go", "content": "package x\n\nvar y = 1\n"})
	edit := input(t, map[string]any{"file_path": "/p/src/new.go", "old_string": "var y = 1", "new_string": "var y = 2"})
	for _, tt := range []struct {
		name    string
		input   json.RawMessage
		verb    string
		partial bool
		subject string
		want    fit
	}{
		{"the command", command("make -j2 all"), "", false, "make -j2 all", agreed},
		{"wrapped", command("make -j2 all"), "", false, "make\n-j2 all", agreed},
		{"with its remark", command("make all"), "", false, "make all\nBuild it all", agreed},
		{"a longer one", command("make all && rm -rf x"), "", false, "make all", differs},
		{"a shorter one", command("make"), "", false, "make all", differs},
		{"with dots of its own", command("echo wait…"), "", false, "echo wait…", agreed},
		{"its end", command("a\nb\nc\nd"), "", true, "c\nd", agreed},
		{"its end with its remark", command("a\nb\nc\nd"), "", true, "c\nd\nBuild it all", agreed},
		{"its beginning", command("a\nb\nc\nd"), "", true, "a\nb\n[… 2 lines] ^a view all", agreed},
		{"both its ends", command("a\nb\nc\nd"), "", true, "a\n... 2 hidden (Ctrl+O) ...\nd", agreed},
		{"in another order", command("a\nb\nc\nd"), "", true, "d\n... 2 hidden (Ctrl+O) ...\na", differs},
		{"with a row left out", command("a\nb\nc\nd"), "", true, "b\nd", differs},
		{"a row cut short", command("echo abcdef; rm x"), "", true, "echo abc…", agreed},
		{"nothing visible", command("a"), "", true, "", differs},
		{"only what stands for it", command("a"), "", true, "[… 2 lines] ^a view all", differs},
		{"only its remark", command("a"), "", true, "Build it all", differs},
		{"a command for an edit", command("new.go"), "edit", true, "new.go", differs},

		{"a file", file, "create", false, "src/new.go\n 1 package x\n 2\n 3 var y = 1", agreed},
		{"a file's end", file, "create", true, " 3 var y = 1", agreed},
		{"a file's own path", file, "create", true, "new.go\n 3 var y = 1", agreed},
		{"above the folder", file, "create", true, "../src/new.go\n3 var y = 1", agreed},
		{"a path alone", file, "create", true, "src/new.go", differs},
		{"another file", file, "create", true, "old.go\n3 var y = 1", differs},
		{"other content", file, "create", true, "src/new.go\n3 var z = 1", differs},
		{"content in another order", file, "create", true, "3 var y = 1\n1 package x", differs},
		{"a file for a command", file, "", true, "package x", differs},
		{"a file that is overwritten", file, "overwrite", false, "src/new.go\n1 -package old\n1 +package x", perhaps},

		{"an edit", edit, "edit", false, "src/new.go\n 3 -var y = 1\n 3 +var y = 2", agreed},
		{"an edit and what is around it", edit, "edit", false, "src/new.go\n 1 package x\n 3 -var y = 1\n 3 +var y = 2", perhaps},
		{"another edit", edit, "edit", false, "src/new.go\n 3 -var y = 1\n 3 +var y = 3", differs},

		{"a patch", patch, "edit", true, "/p/src/new.go\nAdded new.go (+3 -0)\n  1 +package x\n  + Show details", agreed},
		{"another patch", patch, "edit", true, "/p/src/new.go\nAdded new.go (+3 -0)\n  1 +package z\n  + Show details", differs},

		{"a tool", input(t, map[string]any{"text": "rig"}), "use", false, "rig - echo(text: \"rig\")", perhaps},
		{"a tool for a command", input(t, map[string]any{"text": "rig"}), "", false, "echo rig", differs},
	} {
		p := &Prompt{Subject: tt.subject, Verb: tt.verb, Partial: tt.partial}
		if got := want(tt.input).fits(p); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestTheWholeSubjectHidesNothing(t *testing.T) {
	for _, tt := range []struct {
		in   map[string]any
		want string
	}{
		{map[string]any{"command": "a\nb\n"}, "a\nb"},
		{map[string]any{"command": "a\x1b[8mb\u202ec\td"}, "a\ufffd[8mb\ufffdc\td"},
		{map[string]any{"command": []string{"bash", "-lc", "a b"}}, "a b"},
		{map[string]any{"command": []string{"ls", "-l"}}, "ls -l"},
		{map[string]any{"file_path": "/p/x", "content": "a\nb"}, "/p/x\na\nb"},
		{map[string]any{"file_path": "/p/x", "old_string": "a\nb", "new_string": "c"}, "/p/x\n-a\n-b\n+c"},
		{map[string]any{"url": "http://x"}, ""},
		{nil, ""},
	} {
		if got := want(input(t, tt.in)).whole; got != tt.want {
			t.Errorf("%v is %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzWanted(f *testing.F) {
	f.Add([]byte(`{"command":"a\nb","description":"c"}`), "a\nb", true)
	f.Add([]byte(`{"file_path":"/x","old_string":"a","new_string":"b"}`), "x\n1 -a\n1 +b", false)
	f.Add([]byte(`{"command":"*** Begin Patch\n*** Add File: x\n+a"}`), "x\n… +2 lines", true)
	f.Fuzz(func(t *testing.T, in []byte, subject string, partial bool) {
		w := want(in)
		if keyOf(in) != keyOf(append([]byte(" "), in...)) && json.Valid(in) {
			t.Error("blanks around an input make it another")
		}
		got := w.fits(&Prompt{Subject: subject, Partial: partial})
		if got == agreed && !partial && !strings.HasPrefix(squash(subject), squash(w.command)) {
			t.Errorf("%q agrees with %q", subject, w.command)
		}
	})
}
