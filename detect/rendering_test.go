package detect

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"nod/detect/agents"
	"nod/detect/screen"
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
	lines := input(t, map[string]any{"file_path": "/p/src/new.go", "old_string": "a = 1\nb = 2\n", "new_string": "c = 3\n"})
	everywhere := input(t, map[string]any{"file_path": "/p/src/new.go", "old_string": "var y = 1", "new_string": "var y = 2", "replace_all": true})
	two := command("*** Begin Patch\n*** Add File: new.go\n+package x\n*** Update File: src/old.go\n@@\n-a\n+b\n*** End Patch")
	turned := command("*** Begin Patch\n*** Add File: b.go\n+b\n*** Add File: a.go\n+a\n*** End Patch")
	diff := input(t, map[string]any{"filepath": "/p/src/new.go", "diff": head("/p/src/new.go") + "@@ -1,3 +1,3 @@\n line one\n-alpha\n+beta\n line three\n"})
	diffs := input(t, map[string]any{"filepath": "new.go, old.go", "diff": head("/p/new.go") + "@@ -0,0 +1,1 @@\n+a\n" + head("/p/old.go") + "@@ -1,1 +0,0 @@\n-b\n"})
	page := input(t, map[string]any{"url": "https://a.example/x?y=1", "format": "text"})
	for _, tt := range []struct {
		name    string
		input   json.RawMessage
		verb    string
		partial bool
		subject string
		want    fit
	}{
		{"the command", command("make -j2 all"), "", false, "make -j2 all", rendered},
		{"wrapped", command("make -j2 all"), "", false, "make\n-j2 all", rendered},
		{"with its remark", command("make all"), "", false, "make all\nBuild it all", rendered},
		{"with its remark in brackets", command("make all"), "", false, "make all\n(Build it all)", rendered},
		{"a longer one", command("make all && rm -rf x"), "", false, "make all", differs},
		{"a shorter one", command("make"), "", false, "make all", differs},
		{"with dots of its own", command("echo wait…"), "", false, "echo wait…", rendered},
		{"its end", command("a\nb\nc\nd"), "", true, "c\nd", rendered},
		{"its end with its remark", command("a\nb\nc\nd"), "", true, "c\nd\nBuild it all", rendered},
		{"its beginning", command("a\nb\nc\nd"), "", true, "a\nb\n[… 2 lines] ^a view all", rendered},
		{"both its ends", command("a\nb\nc\nd"), "", true, "a\n... 2 hidden (Ctrl+O) ...\nd", rendered},
		{"its end, and the frame's sides", command("a\nb\nc\nd"), "", true, "│ c  │\n│ d  │", rendered},
		{"the frame's sides, and something else", command("a\nb\nc\nd"), "", true, "│ c\n│ e", differs},
		{"no frame's sides", command("a\nb\nc\nd"), "", true, "│ c\nd", differs},
		{"in another order", command("a\nb\nc\nd"), "", true, "d\n... 2 hidden (Ctrl+O) ...\na", differs},
		{"with a row left out", command("a\nb\nc\nd"), "", true, "b\nd", differs},
		{"a row cut short", command("echo abcdef; rm x"), "", true, "echo abc…", rendered},
		{"nothing visible", command("a"), "", true, "", unknown},
		{"only what stands for it", command("a"), "", true, "[… 2 lines] ^a view all", unknown},
		{"only its remark", command("a"), "", true, "Build it all", unknown},
		{"its remark in its last row", command("a\nb"), "", true, "b (Build it all)", rendered},
		{"with characters that show nothing", command("a\u200eb\u00a0c"), "", false, "a<U+200E>b c", rendered},
		{"without them", command("a\u200eb\u00a0c"), "", false, "abc", rendered},
		{"with what a terminal obeys", command("a\x1b[8mb"), "", false, "ab", differs},
		{"a command for an edit", command("rm x"), "edit", true, "new.go", differs},
		{"a command in the arguments of a tool", command("rm x"), "use", false, "run(command: \"rm x\")", unknown},

		{"with a frame's side of its own", command("│ c"), "", false, "│ c", rendered},
		{"a frame that is set in", command("c\nd"), "", true, "  │ c  │\n  │ d  │", rendered},
		{"a frame with a row for itself", command("c\nd"), "", false, "│ c │\n│\n│ d │", rendered},
		{"blocks, which are no frame", command("c"), "", true, "▀▀▀\n│ c │", differs},
		{"brackets below it without a remark", input(t, map[string]any{"command": "f"}), "", false, "f\n()", differs},
		{"its remark in its last row, with nothing missing", command("a\nb"), "", false, "a\nb (Build it all)", differs},

		{"a file", file, "create", false, "src/new.go\n 1 package x\n 2\n 3 var y = 1", rendered},
		{"a file's end", file, "create", true, " 3 var y = 1", rendered},
		{"a file's own path", file, "create", true, "new.go\n 3 var y = 1", rendered},
		{"above the folder", file, "create", true, "../src/new.go\n3 var y = 1", rendered},
		{"a path alone", file, "create", true, "src/new.go", undecided},
		{"a question that names it", file, "create", false, "Do you want to\ncreate new.go?\n1 package x\n2\n3 var y = 1", rendered},
		{"a row that is cut", file, "create", false, "new.go\n1 pack…\n3 var y = 1", rendered},
		{"a row that is wrapped", file, "create", false, "new.go\n 1 pack\n   age x\n 3 var y = 1", rendered},
		{"a row that is cut, and another", file, "create", false, "new.go\n1 pock…\n3 var y = 1", undecided},
		{"a frame", file, "create", false, "╭───────────╮\n│ new.go    │\n│           │\n│ package x │\n│ var y = 1 │\n╰───────────╯", rendered},
		{"an arrow behind its name", file, "create", false, "src/new.go ←\n\n 1 package x\n 3 var y = 1", rendered},
		{"another file", file, "create", true, "old.go\n3 var y = 1", differs},
		{"other content", file, "create", true, "src/new.go\n3 var z = 1", differs},
		{"content in another order", file, "create", true, "3 var y = 1\n1 package x", differs},
		{"a file for a command", file, "", true, "package x", differs},
		{"a file without its rows", file, "create", true, "", unknown},
		{"a title among its rows", file, "create", false, "new.go\n1 package x\n2 Edited 2 files (+1 -0)\n3 var y = 1", differs},
		{"a word of the question among its rows", file, "create", false, "Do you want to\ncreate new.go?\n1 package x\n2 create\n3 var y = 1", differs},
		{"a row of it as removed", file, "create", false, "new.go\n1 -package x\n3 var y = 1", undecided},
		{"a row with a bar of its own", file, "create", false, "new.go\n1 package x  █\n3 var y = 1", differs},
		{"a wrapped row that goes on otherwise", file, "create", false, "new.go\n 1 pack\n   age x; rm\n 3 var y = 1", differs},
		{"another row among those without numbers", file, "create", false, "new.go\npackage x\nrm\nvar y = 1", differs},
		{"a file that is overwritten", file, "overwrite", false, "src/new.go\n1 -package old\n1 +package x", undecided},

		{"an edit", edit, "edit", false, "src/new.go\n 3 -var y = 1\n 3 +var y = 2", rendered},
		{"an edit and what is around it", edit, "edit", false, "src/new.go\n 1 package x\n 3 -var y = 1\n 3 +var y = 2", undecided},
		{"inside of a line", edit, "edit", false, "src/new.go\n 3 -\tvar y = 1 // one\n 3 +\tvar y = 2 // one", undecided},
		{"an edit that wraps", edit, "edit", false, "src/new.go\n 3 -var y =\n    1\n 3 +var y\n    = 2", rendered},
		{"an edit that wraps without numbers", edit, "edit", false, "src/new.go\n-var z =\none\n+var z\n= two", undecided},
		{"only what is around it", edit, "edit", true, "1 package x", undecided},
		{"each place", everywhere, "edit", false, "new.go\n 3 -var y = 1\n 3 +var y = 2\n 9 -var y = 1\n 9 +var y = 2", rendered},
		{"two places of one", edit, "edit", false, "new.go\n 3 -var y = 1\n 3 +var y = 2\n 9 -if z\n 9 +if q", differs},
		{"a file for a command", edit, "", false, "rm -rf build", differs},
		{"a file that a command names", edit, "", false, "sed -i s/1/2/ src/new.go", unknown},
		{"another edit", edit, "edit", false, "src/new.go\n 3 -var y = 1\n 3 +var y = 3", differs},

		{"an edit without its signs", edit, "edit", false, "src/new.go\n 3 var y = 1\n 3 var y = 2", undecided},
		{"an edit the other way", edit, "edit", false, "src/new.go\n 3 -var y = 2\n 3 +var y = 1", differs},
		{"an edit of another text", edit, "edit", false, "src/new.go\n 3 -var z = 1\n 3 +var y = 2", differs},
		{"what is removed, within what is added", edit, "edit", false, "src/new.go\n 3 -var y = 1\n 3 +rm; var y = 1", differs},
		{"what is added, within what is removed", edit, "edit", false, "src/new.go\n 3 -rm; var y = 2\n 3 +var y = 2", differs},
		{"one place twice", edit, "edit", false, "new.go\n 3 -var y = 1\n 3 +var y = 2\n 9 -var y = 1\n 9 +var y = 2", undecided},
		{"its first line, within another", lines, "edit", false, "src/new.go\n 3 -\ta = 1 // one\n 3 +c = 3", undecided},
		{"its last line, within another", lines, "edit", false, "src/new.go\n 3 -b = 2 // two\n 3 +c = 3", undecided},

		{"a patch of a file elsewhere", patch, "edit", true, "other/src/new.go\n  1 +package x", differs},
		{"a patch of a file at the root", patch, "edit", true, "/etc/passwd\n  1 +package x", differs},
		{"a patch that removes more", patch, "edit", true, "new.go\n 1 -old\n 1 +package x", differs},
		{"a patch", patch, "edit", true, "/p/src/new.go\nAdded new.go (+3 -0)\n  1 +package x\n  + Show details", rendered},
		{"a patch of two files", two, "edit", false, "Added new.go (+1 -0)\n 1 +package x\nUpdated src/old.go (+1 -1)\n 2 -a\n 2 +b", rendered},
		{"a patch of two files under a title of its own", two, "edit", false, "/p/src/old.go\n/p/new.go\nEdited 2 files (+2 -1)\n  └ new.go (+1 -0)\n    1 +package x\n\n  └ src/old.go (+1 -1)\n    2 -a\n    2 +b\n    + Show details", rendered},
		{"in the order of their names", turned, "edit", false, "/p/a.go\n/p/b.go\nEdited 2 files (+2 -0)\n  └ a.go (+1 -0)\n    1 +a\n\n  └ b.go (+1 -0)\n    1 +b", rendered},
		{"with a row of the other file", turned, "edit", false, "/p/a.go\n/p/b.go\nEdited 2 files (+2 -0)\n  └ a.go (+1 -0)\n    1 +b\n\n  └ b.go (+1 -0)\n    1 +b", differs},
		{"another patch", patch, "edit", true, "/p/src/new.go\nAdded new.go (+3 -0)\n  1 +package z\n  + Show details", differs},

		{"a diff", diff, "edit", false, "src/new.go\n\n1   line one\n2 - alpha\n2 + beta\n3   line three", rendered},
		{"a part of a diff", diff, "edit", true, "new.go\n1   line one\n2 - alpha             █", rendered},
		{"a diff and a side panel", diff, "edit", true, "new.go\n1   line one\n2 - alpha\n\n                 /p:main", rendered},
		{"both sides of a diff", diff, "edit", false, "new.go\n1   line one    1   line one\n2 - alpha       2 + beta", undecided},
		{"another diff", diff, "edit", false, "new.go\n1   line one\n2 - alpha\n2 + gamma", undecided},
		{"a diff in another order", diff, "edit", false, "new.go\n2 + beta\n2 - alpha", undecided},
		{"the diff of another file", diff, "edit", false, "old.go\n2 - alpha\n2 + beta", undecided},
		{"a file for a diff that is named alone", diff, "edit", true, "new.go", undecided},
		{"a diff of two files", diffs, "edit", false, "new.go\n1 + a\nold.go\n1 - b", rendered},
		{"a diff of two files, and the other's row", diffs, "edit", false, "new.go\n1 - b", undecided},
		{"a page", page, "fetch", false, "https://a.example/x?y=1", rendered},
		{"a page, told twice", page, "fetch", false, "https://a.example/\nx?y=1\n\nURL: https://a.example/x?y=1", rendered},
		{"another page", page, "fetch", false, "https://b.example/x?y=1", undecided},
		{"a page for a command", page, "", false, "curl https://a.example/x?y=1", differs},
		{"a page in the arguments of a tool", page, "use", false, "https://a.example/x?y=1", undecided},

		{"a tool", input(t, map[string]any{"text": "rig"}), "use", false, "rig - echo(text: \"rig\")", undecided},
		{"a tool for a command", input(t, map[string]any{"text": "rig"}), "", false, "echo rig", differs},
	} {
		p := &screen.Content{Subject: tt.subject, Verb: tt.verb, Partial: tt.partial}
		if strings.HasPrefix(tt.subject, "Do you want") {
			p.Question = "Do you want to create new.go?"
		}
		in := parseToolInput(tt.input)
		if got, _ := in.compare(p); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// The rows below the command are the agent's labels, as the screen or the call tells.
func TestLabelsStayBelowTheCall(t *testing.T) {
	in := parseToolInput(input(t, map[string]any{"command": "make -j2 all", "description": "Build it all"}))
	for _, tt := range []struct {
		subject string
		lead    int
		want    []string
	}{
		{"make\n-j2 all", 0, nil},
		{"make\n-j2 all", 9, nil},
		{"make\n-j2 all\nBuild it\nall", 0, []string{"Build it", "all"}},
		{"make\n-j2 all\n\nBuild it all", 0, []string{"Build it all"}},
		{"make\n-j2 all\nReason: it is due", 2, []string{"Reason: it is due"}},
		{"make -j2 all\nBuild it all\nReason: it is due", 2, []string{"Build it all", "Reason: it is due"}},
	} {
		how, labels := in.compare(&screen.Content{Subject: tt.subject, Lead: tt.lead})
		if how != rendered || !slices.Equal(labels, tt.want) {
			t.Errorf("%q: %v, %q", tt.subject, how, labels)
		}
	}
	diff := parseToolInput(input(t, map[string]any{"filepath": "/p/x", "diff": head("/p/x") + "@@ -1,1 +1,1 @@\n-a\n+b\n"}))
	if how, labels := diff.compare(&screen.Content{Subject: "x\n1 - a\n1 + b\n\n      /p:main", Verb: "edit"}); how != rendered || !slices.Equal(labels, []string{"/p:main"}) {
		t.Errorf("beside a diff: %v, %q", how, labels)
	}
	// What is no part of the command can't pass for a label unless the agent sets it apart.
	for _, p := range []*screen.Content{
		{Subject: "make -j2 all\nrm -rf /"}, {Subject: "make\n-j2 all", Lead: 1}, {Subject: "make -j2 all\nBuild it all\nrm -rf /", Lead: 3},
	} {
		if how, _ := in.compare(p); how != differs {
			t.Errorf("%q: %v", p.Subject, how)
		}
	}
}

// head begins what a unified diff says of a file.
func head(file string) string {
	return "Index: " + file + "\n===================================================================\n--- " + file + "\n+++ " + file + "\n"
}

func TestTheWholeSubjectHidesNothing(t *testing.T) {
	for _, tt := range []struct {
		in   map[string]any
		want string
	}{
		{map[string]any{"command": "a\nb\n"}, "a\nb"},
		{map[string]any{"command": "a\x1b[8mb\u202ec d"}, "a<U+001B>[8mb<U+202E>c d"},
		{map[string]any{"command": []string{"bash", "-lc", "a b"}}, "a b"},
		{map[string]any{"command": []string{"ls", "-l"}}, "ls -l"},
		{map[string]any{"command": []string{"/bin/zsh", "-c", "a b"}}, "a b"},
		{map[string]any{"command": []string{"python3", "-c", "a b"}}, "python3 -c a b"},
		{map[string]any{"file_path": "/p/x", "content": "a\nb"}, "/p/x\na\nb"},
		{map[string]any{"file_path": "/p/x", "old_string": "a\nb", "new_string": "c"}, "/p/x\n-a\n-b\n+c"},
		{map[string]any{"url": "http://x"}, "http://x"},
		{map[string]any{"url": "http://x", "prompt": "read it"}, ""},
		{map[string]any{"filepath": "/p/x", "diff": head("/p/x") + "@@ -1,1 +1,1 @@\n-a\n+b\n"}, "/p/x\n@@ -1,1 +1,1 @@\n-a\n+b"},
		{map[string]any{"filepath": "/p/x", "diff": "-a\n+b\n"}, "/p/x\n-a\n+b"},
		{map[string]any{"filepath": "/p/x, /p/y", "diff": head("/p/x") + "+Index: /p/z\n" + head("/p/y") + "-b\n"}, "/p/x\n+Index: /p/z\n/p/y\n-b"},
		{nil, ""},
	} {
		if got := parseToolInput(input(t, tt.in)).text; got != tt.want {
			t.Errorf("%v is %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzWanted(f *testing.F) {
	f.Add([]byte(`{"command":"a\nb","description":"c"}`), "a\nb", true)
	f.Add([]byte(`{"file_path":"/x","old_string":"a","new_string":"b"}`), "x\n1 -a\n1 +b", false)
	f.Add([]byte(`{"command":"*** Begin Patch\n*** Add File: x\n+a"}`), "x\n… +2 lines", true)
	f.Fuzz(func(t *testing.T, in []byte, subject string, partial bool) {
		w := parseToolInput(in)
		if keyOf(in) != keyOf(append([]byte(" "), in...)) && json.Valid(in) {
			t.Error("blanks around an input make it another")
		}
		got, _ := w.compare(&screen.Content{Subject: subject, Partial: partial})
		if got == rendered && !partial && !strings.HasPrefix(plain(subject), plain(w.command)) {
			t.Errorf("%q agrees with %q", subject, w.command)
		}
	})
}

// TestARequestFitsWhatQwenHides: of a long command Qwen shows the beginning, and its end in the rest of a title.
func TestARequestFitsWhatQwenHides(t *testing.T) {
	p := agents.Read("qwen", screen.Parse(screenOf(t, "qwen/0.24.4-tall-100x40.ansi"))).Prompt
	shown, _, _ := strings.Cut(p.Subject, "\n... last 36 lines hidden ...")
	request := toolInput{command: shown + "\necho step 25\necho step 58\nrm -rf build\necho ran >> tall.ran", remark: "Scripted step tall"}
	if got, _ := request.compare(&p.Content); got != rendered {
		t.Errorf("the request for this very command fits as %d", got)
	}
	request.command = strings.Replace(request.command, "rm -rf build", "rm -rf home", 1)
	if got, _ := request.compare(&p.Content); got != differs {
		t.Errorf("the request for another command fits as %d", got)
	}
}

// TestRealScreensRenderTheirCalls compares what real agents drew with what their own events told of it.
func TestRealScreensRenderTheirCalls(t *testing.T) {
	f, err := os.Open("testdata/renderings.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r struct {
			Agent, Version, Scenario, Screen string
			Input                            json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		name := r.Agent + " " + r.Version + ": " + r.Scenario
		p := agents.Read(r.Agent, screen.Parse(r.Screen)).Prompt
		if p == nil {
			t.Errorf("%s: no prompt", name)
			continue
		}
		in := parseToolInput(r.Input)
		how, _ := in.compare(&p.Content)
		// An edit is drawn with rows around it that no call has, and a diff that has both its sides beside each other can't be compared.
		partly := strings.HasPrefix(r.Scenario, "two sides") || (r.Scenario == "edit" || r.Scenario == "write") && !in.diff
		if how != rendered && !(partly && how == undecided) {
			t.Errorf("%s: %v, partial %v\n%s\n%s", name, how, p.Partial, p.Subject, r.Input)
		}
	}
}
