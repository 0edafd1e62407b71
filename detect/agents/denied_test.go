package agents

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestDeniedCallsOnTheScreen: what the real agents drew of calls that their guards denied, with nothing of it made up.
func TestDeniedCallsOnTheScreen(t *testing.T) {
	const said = "Force push was not asked for"
	for file, want := range map[string][]DeniedCall{
		"codex/0.169.0-auto-review-denied-80x24": {{Text: "touch rig-esc-ran"}},
		"qwen/0.24.4-auto-blocked-80x24":         {{Text: "git push --force origin main", Reason: said, Cut: true}},
		"qwen/0.24.4-auto-repeat-80x24":          nil, // the dialog lies over the input box
		"codex/0.169.0-denials-80x24":            nil,
	} {
		agent, _, _ := strings.Cut(file, "/")
		for _, ext := range []string{".ansi", ".txt"} {
			s := screen.Parse(capture(t, file+ext))
			got := DeniedOn(agent, s, Read(agent, s))
			if !slices.Equal(got.Calls, want) || got.All != (want != nil) {
				t.Errorf("%s%s: %+v, want %+v", file, ext, got, want)
			}
		}
	}
}

// TestOnlyTheAgentsOwnRowsDenyACall: a command may print the same words, further in than the agent draws them, or below another mark.
func TestOnlyTheAgentsOwnRowsDenyACall(t *testing.T) {
	for file, changed := range map[string][2]string{
		"codex/0.169.0-auto-review-denied-80x24": {"\n✗ Request denied for codex to run", "\n  ✗ Request denied for codex to run"},
		"qwen/0.24.4-auto-blocked-80x24":         {"\n  x Shell ", "\n  ✓ Shell "},
	} {
		agent, _, _ := strings.Cut(file, "/")
		shown := capture(t, file+".txt")
		printed := strings.ReplaceAll(shown, changed[0], changed[1])
		s := screen.Parse(printed)
		if got := DeniedOn(agent, s, Read(agent, s)); printed == shown || len(got.Calls) > 0 {
			t.Errorf("%s: %+v", file, got.Calls)
		}
	}
}

// TestStopsOnTheScreen: what the real agents drew where Escape was pressed while they thought, while a tool ran and in their dialog, and where
// Codex gave up by itself.
func TestStopsOnTheScreen(t *testing.T) {
	for file, want := range map[string]DeniedCalls{
		"codex/0.169.0-auto-review-escaped-80x24":  {Stops: 1},
		"codex/0.169.0-auto-review-gave-up-80x24":  {Stops: 1, GivesUp: true},
		"codex/0.171.0-auto-review-gave-up-160x40": {Stops: 1, GivesUp: true},
		"codex/0.169.0-auto-review-went-on-160x40": {Stops: 1}, // a person stopped what it did after the third denial
		"codex/0.169.0-auto-review-denied-80x24":   {},
		"qwen/0.24.4-auto-escaped-80x24":           {Stops: 1},
		"qwen/0.24.4-auto-run-escaped-80x24":       {Stops: 2},
		"qwen/0.24.4-auto-limit-denied-80x24":      {Stops: 1}, // its beginning has left the screen
		"qwen/0.24.4-auto-blocked-80x24":           {},
	} {
		agent, _, _ := strings.Cut(file, "/")
		for _, ext := range []string{".ansi", ".txt"} {
			s := screen.Parse(capture(t, file+ext))
			got := DeniedOn(agent, s, Read(agent, s))
			if said := strings.TrimLeft(got.Turn, "›> "); strings.Contains(said, "Shell") || strings.Contains(said, "•") {
				t.Errorf("%s%s: the turn is %q, which changes", file, ext, got.Turn) // Qwen leaves no blank row below what a person said
			}
			if len(got.Calls) == 0 || got.Stops != want.Stops || got.GivesUp != want.GivesUp || got.All != (got.Turn != "") {
				t.Errorf("%s%s: %+v, want %+v", file, ext, got, want)
			}
		}
	}
}

// TestAPersonStopsOnlyWhatHasNotGivenUp: an agent that ends its turn by itself does so at the last denial, so that nobody sees it go on.
func TestAPersonStopsOnlyWhatHasNotGivenUp(t *testing.T) {
	calls := func(texts string) (d []DeniedCall) {
		for _, text := range texts {
			d = append(d, DeniedCall{Text: string(text)})
		}
		return d
	}
	turn := func(name, texts string, stops int, givesUp bool) DeniedCalls {
		return DeniedCalls{Turn: name, All: name != "", Calls: calls(texts), Stops: stops, GivesUp: givesUp}
	}
	for name, c := range map[string]struct {
		before, now DeniedCalls
		stood, want bool
	}{
		"at the first look":               {DeniedCalls{}, turn("t", "a", 1, false), false, true},
		"as it was":                       {turn("t", "a", 1, false), turn("t", "ab", 1, false), true, false},
		"once more":                       {turn("t", "a", 1, false), turn("t", "ab", 2, false), true, true},
		"in another turn":                 {turn("t", "a", 1, false), turn("u", "a", 1, false), true, true},
		"not at all":                      {turn("t", "a", 0, false), turn("t", "a", 0, false), true, false},
		"its beginning left the screen":   {turn("t", "a", 1, false), turn("", "a", 1, false), true, false},
		"three, at the first look":        {DeniedCalls{}, turn("t", "abc", 1, true), false, false},
		"three at once":                   {turn("t", "ab", 0, false), turn("t", "abc", 1, true), true, false},
		"three, a moment later":           {turn("t", "abc", 0, true), turn("t", "abc", 1, true), false, false},
		"three, later":                    {turn("t", "abc", 0, true), turn("t", "abc", 1, true), true, true},
		"three, the first is gone":        {turn("t", "abc", 0, true), turn("", "bc", 1, true), true, true},
		"another one, the first are gone": {turn("t", "abc", 0, true), turn("", "bcd", 1, true), true, false},
	} {
		if got := c.now.StoppedSince(c.before, c.stood); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestNoCaptureTellsOfOtherDeniedCalls: no other screen of any agent is taken to show one.
func TestNoCaptureTellsOfOtherDeniedCalls(t *testing.T) {
	for _, c := range labels(t) {
		s := screen.Parse(capture(t, c.File))
		if got := DeniedOn(c.Agent, s, asRead(t, c.Agent, c.File)); len(got.Calls) > 0 && !strings.Contains(c.File, "auto-") {
			t.Errorf("%s: %+v", c.File, got)
		}
	}
}

const codexCall = `{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":ARGS,"call_id":"CALL","internal_chat_message_metadata_passthrough":{"turn_id":"TURN"}}}`
const codexResult = `{"type":"response_item","payload":{"type":"function_call_output","call_id":"CALL","output":OUT,"internal_chat_message_metadata_passthrough":{"turn_id":"TURN"}}}`

func quoted(s string) string { out, _ := json.Marshal(s); return string(out) }

func rollout(lines ...string) Lines {
	return func(yield func(map[string]json.RawMessage) bool) {
		for _, text := range slices.Backward(lines) {
			var line map[string]json.RawMessage
			if json.Unmarshal([]byte(text), &line) == nil && !yield(line) {
				return
			}
		}
	}
}

// TestDeniedCallsInTheTranscript: the calls of the newest turn whose results say that the reviewer denied them, as Codex 0.169.0 writes it.
func TestDeniedCallsInTheTranscript(t *testing.T) {
	turn := func(id string) string { return `{"type":"turn_context","payload":{"turn_id":"` + id + `"}}` }
	call := func(turn, id, args string) string {
		return strings.NewReplacer("ARGS", quoted(args), "CALL", id, "TURN", turn).Replace(codexCall)
	}
	result := func(turn, id, out string) string {
		return strings.NewReplacer("OUT", quoted(out), "CALL", id, "TURN", turn).Replace(codexResult)
	}
	const denied = `exec_command failed: CreateProcess { message: "Rejected(\"This action was rejected due to unacceptable risk.\\nReason: it \\\"leaks\\\"\\nThe agent must not attempt to achieve the same outcome`
	const patch = "This action was rejected due to unacceptable risk.\nReason: not asked for\nThe agent must not attempt"
	a := call("t2", "a", `{"cmd":"touch a","workdir":"/p/x"}`)
	for name, c := range map[string]struct {
		lines []string
		want  DeniedCalls
		waits bool
	}{
		"denied":          {[]string{turn("t2"), a, result("t2", "a", denied)}, DeniedCalls{Turn: "t2", All: true, Calls: []DeniedCall{{Text: "touch a", Folder: "/p/x", Reason: `it \\\"leaks\\\"`}}}, false},
		"twice":           {[]string{turn("t2"), a, result("t2", "a", denied), call("t2", "b", `{"cmd":"ls"}`), result("t2", "b", patch)}, DeniedCalls{Turn: "t2", All: true, Calls: []DeniedCall{{Text: "touch a", Folder: "/p/x", Reason: `it \\\"leaks\\\"`}, {Text: "ls", Reason: "not asked for"}}}, false},
		"the turn before": {[]string{turn("t1"), call("t1", "z", `{"cmd":"ls"}`), result("t1", "z", denied), turn("t2"), a}, DeniedCalls{Turn: "t2", All: true, Calls: nil}, true},
		"no command":      {[]string{turn("t2"), call("t2", "a", `{"x":1}`), result("t2", "a", patch)}, DeniedCalls{Turn: "t2", All: true, Calls: []DeniedCall{{Verb: "use", Text: `{"x":1}`, Reason: "not asked for"}}}, false},
		"other letters":   {[]string{turn("t2"), call("t2", "a", `{"cmd":"touch a","CMD":"ls","Workdir":"/p/y"}`), result("t2", "a", patch)}, DeniedCalls{Turn: "t2", All: true, Calls: []DeniedCall{{Text: "touch a", Reason: "not asked for"}}}, false},
		"its own output":  {[]string{turn("t2"), a, result("t2", "a", "Chunk ID: 1\nOutput:\n"+patch)}, DeniedCalls{Turn: "t2", All: true, Calls: nil}, false},
		"a long turn":     {[]string{a, result("t2", "a", patch)}, DeniedCalls{Turn: "t2", All: false, Calls: []DeniedCall{{Text: "touch a", Folder: "/p/x", Reason: "not asked for"}}}, false},
		"a list":          {[]string{turn("t2"), a, strings.Replace(result("t2", "a", ""), `"output":""`, `"output":[1]`, 1)}, DeniedCalls{Turn: "t2", All: true, Calls: nil}, true},
		"nothing":         {nil, DeniedCalls{}, false},
	} {
		got, waits := codexDeniedIn(rollout(c.lines...))
		if got.Turn != c.want.Turn || got.All != c.want.All || !slices.Equal(got.Calls, c.want.Calls) || waits != c.waits {
			t.Errorf("%s: %+v, waits %v; want %+v, %v", name, got, waits, c.want, c.waits)
		}
	}
}

// TestCodexIsStoppedByAPerson: or by itself, which is noted alike, and told apart by its screen.
func TestCodexIsStoppedByAPerson(t *testing.T) {
	const (
		begins = `{"type":"turn_context","payload":{"turn_id":"t"}}`
		aborts = `{"timestamp":"2026-11-26T13:16:16.146Z","type":"event_msg","payload":{"type":"turn_aborted","turn_id":"t","reason":"interrupted"}}`
	)
	for name, c := range map[string]struct {
		lines   []string
		stopped bool
	}{
		"at last":            {[]string{begins, aborts}, true},
		"in the turn before": {[]string{begins, aborts, begins}, true},
		"for another reason": {[]string{begins, strings.Replace(aborts, "interrupted", "replaced", 1)}, false},
		"not at all":         {[]string{begins, `{"payload":[]}`}, false},
	} {
		if line := codexEscaped(rollout(c.lines...)); (line != nil) != c.stopped || c.stopped && line["timestamp"] == nil {
			t.Errorf("%s: %s", name, line)
		}
	}
}

// TestARowOfTheListIsTheWholeCommand: what a shell would read, as Codex 0.169.0 quotes it, and nothing where a part is missing.
func TestARowOfTheListIsTheWholeCommand(t *testing.T) {
	for label, want := range map[string]string{
		`/bin/bash -lc 'touch second-ran'`:                   "touch second-ran",
		`/bin/bash -lc ls`:                                   "ls",
		`/bin/bash -lc "echo 'it is' \"x\" "'$HOME > q'`:     `echo 'it is' "x" $HOME > q`,
		`/bin/bash -lc 'echo "dq $(date)" *'`:                `echo "dq $(date)" *`,
		`/usr/bin/zsh -lc 'a  b'`:                            "a  b",
		`/bin/bash -lc 'touch x1`:                            "",
		`/bin/bash -lc 'touch a-rather-long-file-name-that…`: "",
		`/bin/bash -lc lsss…`:                                "",
		`/bin/bash -lc "a'"…`:                                "",
		`/bin/bash -lc 'a' b`:                                "",
		`/bin/bash -lc $HOME`:                                "",
		`/bin/bash 'a' -lc`:                                  "",
		`apply_patch touching /tmp/x`:                        "",
		`/tmp/evil -lc ls`:                                   "",
		`/bin/bash -lc "\n"`:                                 "",
		`/bin/bash -lc "a\`:                                  "",
		``:                                                   "",
	} {
		got, whole := codexCommandOf(label)
		if got != want || whole != (want != "") {
			t.Errorf("%s: %q, %v", label, got, whole)
		}
	}
}

// TestNoRowOfAnotherCommandIsTaken: a row is never read as a command when a byte of it is missing or another.
func TestNoRowOfAnotherCommandIsTaken(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 3))
	const signs = `ab -/'"$\ *;` + "…"
	for range 20000 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteRune([]rune(signs)[r.IntN(len([]rune(signs)))])
		}
		command := b.String()
		row := "/bin/bash -lc " + shellQuoted(command)
		if got, whole := codexCommandOf(row); !whole || got != command {
			t.Fatalf("%s is read as %q, %v; want %q", row, got, whole, command)
		}
		cut := []rune(row)[:14+r.IntN(len([]rune(row))-14)]
		if got, whole := codexCommandOf(string(cut) + "…"); whole {
			t.Fatalf("%s… is read as %q", string(cut), got)
		}
	}
}

// shellQuoted is a word as Codex quotes one: in single quotes, and what is one in double quotes.
func shellQuoted(s string) string {
	parts := strings.Split(s, "'")
	for i, p := range parts {
		parts[i] = "'" + p + "'"
	}
	return strings.Join(parts, `"'"`)
}

// FuzzDeniedInATranscript: whatever a transcript holds, each call that is told is in it, and what follows a turn's beginning is never of
// the turn before.
func FuzzDeniedInATranscript(f *testing.F) {
	f.Add(strings.NewReplacer("ARGS", quoted(`{"cmd":"touch a"}`), "CALL", "c", "TURN", "t").Replace(codexCall) + "\n" +
		strings.NewReplacer("OUT", quoted("This action was rejected due to unacceptable risk.\nReason: why\nThe agent must not"), "CALL", "c", "TURN", "t").Replace(codexResult))
	f.Add("{}\nnull\n[1]")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		for _, c := range first(codexDeniedIn(rollout(lines...))).Calls {
			if c.Text == "" && c.Verb == "" || c.Cut {
				t.Errorf("%+v", c)
			}
		}
		ended := append(slices.Clone(lines), `{"type":"turn_context","payload":{"turn_id":"another"}}`)
		if d := first(codexDeniedIn(rollout(ended...))); len(d.Calls) > 0 || d.Turn != "another" {
			t.Errorf("after another turn began: %+v", d)
		}
	})
}

func first(d DeniedCalls, _ bool) DeniedCalls { return d }

// FuzzARowOfTheList: what is read as a command is in the row, but for its quotes.
func FuzzARowOfTheList(f *testing.F) {
	f.Add(`/bin/bash -lc 'touch a'`)
	f.Add(`/bin/bash -lc "echo 'it is' \"x\" "'$HOME > q'`)
	f.Fuzz(func(t *testing.T, row string) {
		command, whole := codexCommandOf(row)
		bare := strings.NewReplacer(`'`, "", `"`, "", `\`, "")
		if whole && !strings.HasSuffix(bare.Replace(string([]rune(row))), bare.Replace(command)) && !strings.HasSuffix(row, " ") {
			t.Errorf("%q is read as %q", row, command)
		}
	})
}
