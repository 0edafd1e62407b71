package agents

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"nod/internal/host/proc"
)

// told are the messages of the real app server (0.169.0) that wait in testdata/codex-server.jsonl, by what they are.
func told(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	text, err := os.ReadFile("testdata/codex-server.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]json.RawMessage{}
	for line := range strings.Lines(string(text)) {
		var m struct {
			Method string
			Params json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		all[m.Method] = m.Params
	}
	return all
}

// TestOnlyARequestForOneCommandIsAnswered: not one that asks for anything besides it, or for something else.
func TestOnlyARequestForOneCommandIsAnswered(t *testing.T) {
	const method = "item/commandExecution/requestApproval"
	asks := new(Server).Asks
	real := told(t)
	r, ok := asks(method, real[method])
	want := ServerRequest{
		Thread: "01a20790-7cf2-72a3-82d8-28c3e5b9b3b9", Turn: "01a20790-8644-7f92-9a27-607827ef3a16", Item: "call_1_0/", Folder: "/home/me/project",
		Text: "rm -rf build && echo ran >> run.ran", Reason: "May this run outside the sandbox?", Once: true,
	}
	if !ok || r != want {
		t.Errorf("%t, %+v", ok, r)
	}
	for change, once := range map[string]bool{
		`"kind":"command"→"kind":"writeStdin"`:                                                                 false,
		`"kind":"command"→"kind":"humanCommand"`:                                                               false,
		`"kind":"command",→`:                                                                                   true, // older servers
		`"availableDecisions":["accept",→"availableDecisions":["acceptForSession",`:                            false,
		`"environmentId":"local"→"networkApprovalContext":{"host":"example.com","protocol":"https"}`:           false,
		`"environmentId":"local"→"additionalPermissions":{"network":{"enabled":true}}`:                         false,
		`"environmentId":"local"→"networkApprovalContext":null,"additionalPermissions":null,"approvalId":null`: true,
		`"command":"/bin/bash -lc 'rm -rf build && echo ran >> run.ran'"→"command":" "`:                        false,
	} {
		from, to, _ := strings.Cut(change, "→")
		changed := strings.Replace(string(real[method]), from, to, 1)
		if r, ok := asks(method, []byte(changed)); !ok || changed == string(real[method]) || r.Once != once {
			t.Errorf("%s: %t, %+v", change, ok, r)
		}
	}
	for method, verb := range map[string]string{"item/fileChange/requestApproval": "change files", "mcpServer/elicitation/request": "be answered"} {
		if r, ok := asks(method, real[method]); !ok || r.Once || r.Verb != verb {
			t.Errorf("%s: %t, %+v", method, ok, r)
		}
	}
	for _, method := range []string{"item/tool/call", "attestation/generate", "", "item/started"} {
		if _, ok := asks(method, real["item/commandExecution/requestApproval"]); ok {
			t.Errorf("%s asks somebody", method)
		}
	}
	if _, ok := asks(method, []byte(`{"command":"x"}`)); ok {
		t.Error("a request of no thread")
	}
}

// TestACommandThatIsNoShellsIsShownAsItIs: nothing of it is taken off that is not known to be the shell's.
func TestACommandThatIsNoShellsIsShownAsItIs(t *testing.T) {
	for said, text := range map[string]string{
		`/bin/bash -lc 'touch a'`: "touch a", `/bin/bash -lc 'touch a' b`: `/bin/bash -lc 'touch a' b`, `env X=1 /bin/bash -lc 'touch a'`: `env X=1 /bin/bash -lc 'touch a'`,
		"/bin/bash -lc 'a\nb'": "a\nb", `touch a`: `touch a`,
	} {
		params, _ := json.Marshal(map[string]any{"threadId": "t", "command": said, "availableDecisions": []string{"accept"}})
		if r, ok := new(Server).Asks("item/commandExecution/requestApproval", params); !ok || r.Text != text || !r.Once {
			t.Errorf("%q: %+v", said, r)
		}
	}
}

// TestAReviewersDenial is known whole, and only one.
func TestAReviewersDenial(t *testing.T) {
	const method = "item/autoApprovalReview/completed"
	params := told(t)[method]
	d, ok := new(Server).Reviewed(method, params)
	want := DeniedCall{Text: "git push --force origin main; echo ran >> guarded.ran\necho second line", Folder: "/home/me/project", Reason: "Force-pushing rewrites shared history."}
	if !ok || d.DeniedCall != want || d.Thread == "" || !strings.Contains(d.Event, `"unified_exec"`) || !strings.Contains(d.Event, `"target_item_id":"call_1_0"`) {
		t.Errorf("%t, %+v", ok, d)
	}
	for _, change := range []string{
		`"status":"denied"→"status":"approved"`, `"status":"denied"→"status":"timedOut"`, `"type":"command"→"type":"applyPatch"`, `"source":"unifiedExec"→"source":"another"`,
		`"reviewId":"7827d46b-2ae2-43b6-882e-81b5feebf411"→"reviewId":""`,
	} {
		from, to, _ := strings.Cut(change, "→")
		changed := strings.Replace(string(params), from, to, 1)
		if d, ok := new(Server).Reviewed(method, []byte(changed)); ok || changed == string(params) {
			t.Errorf("%s: %+v", change, d)
		}
	}
	if _, ok := new(Server).Reviewed("item/autoApprovalReview/started", params); ok {
		t.Error("one that has only begun")
	}
}

// TestWhereAServerListens is told by the processes that are one.
func TestWhereAServerListens(t *testing.T) {
	process := func(line string) proc.Process {
		args := strings.Fields(line)
		return proc.Process{ID: proc.ID{PID: 7}, Comm: "codex", Exe: args[0], Args: args}
	}
	for line, c := range map[string]struct{ environment, at string }{
		"/opt/codex app-server --listen ws://127.0.0.1:4500":                 {"HOME=/home/me", "ws://127.0.0.1:4500"},
		"/opt/codex app-server --listen=unix:///run/s":                       {"", "unix:///run/s"},
		"/opt/codex app-server --listen unix:// --managed-daemon":            {"HOME=/home/me", "unix:///home/me/.codex/app-server-control/app-server-control.sock"},
		"/opt/codex app-server --listen unix:// --analytics-default-enabled": {"HOME=/home/me CODEX_HOME=/srv/codex/", "unix:///srv/codex/app-server-control/app-server-control.sock"},
		"/opt/codex app-server --listen unix://":                             {"", ""},
		"/opt/codex app-server":                                              {"HOME=/home/me", ""},
		"/opt/codex app-server daemon pid-update-loop":                       {"HOME=/home/me", ""},
		"/opt/codex --remote ws://127.0.0.1:4500":                            {"HOME=/home/me", ""},
		"/opt/vim app-server --listen ws://127.0.0.1:4500":                   {"HOME=/home/me", ""},
		"/opt/codex exec --listen ws://127.0.0.1:4500":                       {"HOME=/home/me", ""},
	} {
		servers := Listening([]proc.Process{process(line), process(line)}, func(int) []string { return strings.Fields(c.environment) })
		var at []string
		for _, s := range servers {
			at = append(at, s.Address)
		}
		if want := slices.DeleteFunc([]string{c.at}, func(s string) bool { return s == "" }); !slices.Equal(at, want) {
			t.Errorf("%s with %s: %q, want %q", line, c.environment, at, want)
		}
	}
}

// TestWhoMayBeAClientOfAServer: only one that names it surely is.
func TestWhoMayBeAClientOfAServer(t *testing.T) {
	daemon := &Server{"codex", "unix:///home/me/.codex" + codexDaemon}
	named := &Server{"codex", "ws://127.0.0.1:4500"}
	for line, want := range map[string][4]bool{ // of the one by name, and of the daemon: it may be, it surely is
		"codex --remote ws://127.0.0.1:4500": {true, true, false, false},
		"codex --remote ws://127.0.0.1:4501": {false, false, false, false},
		"codex":                              {false, false, true, false},
		"codex --no-daemon":                  {false, false, false, false},
	} {
		args := strings.Fields(line)
		var got [4]bool
		got[0], got[1] = named.MayServe("codex", args)
		got[2], got[3] = daemon.MayServe("codex", args)
		if got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
		if may, _ := named.MayServe("claude", args); may {
			t.Errorf("%s of another agent", line)
		}
	}
}
