package agents

import (
	"slices"
	"testing"
)

// TestADoorIsForVersionsSinceTheOldestProven: what came before, and what can't be told, is answered by keys.
func TestADoorIsForVersionsSinceTheOldestProven(t *testing.T) {
	door := &Door{Proven: Proven{"2.1.329", "2.0.54"}}
	for version, takes := range map[string]bool{
		"2.0.54": true, "2.0.55": true, "2.0.100": true, "2.1.0": true, "2.1.329": true, "2.1.400": true, "3.0.0": true, "10.0.0": true,
		"2.1.330 (Claude Code)": true, "v2.1.330": true, "2.0.54+build.1": true,
		"2.0.53": false, "2.0.9": false, "1.0.128": false, "0.99.99": false, "2.0.54-beta.1": false,
		"": false, "2": false, "2.1": false, "latest": false, "local": false, "-2.1.330": false, "x2.1.330": false,
		"2.1.99999999999999999999": false, "2.1.330x": false,
	} {
		if door.Takes(version) != takes {
			t.Errorf("%q takes an answer by the door: %t, want %t", version, !takes, takes)
		}
	}
}

// TestTheVersionInAHooksEnvironment is the agent's own: neither what another agent left there, nor one further out.
func TestTheVersionInAHooksEnvironment(t *testing.T) {
	for value, want := range map[string]string{
		"claude-code_2-1-330_harness": "2.1.330", "claude-code_2-1-330_agent": "", "claude-code_2-1-330": "", "codex_2-1-330_harness": "",
		"claude-code__harness": "", "": "",
	} {
		if got := HooksOf("claude").VersionIn(func(string) string { return value }); got != want {
			t.Errorf("%q is version %q, want %q", value, got, want)
		}
	}
}

// TestDoorsNameTheirOldestVersionLast, which is the one that a running agent is compared with.
func TestDoorsNameTheirOldestVersionLast(t *testing.T) {
	for _, a := range catalogue {
		if a.hooks == nil || a.hooks.Door == nil {
			continue
		}
		var last []int
		for _, version := range a.hooks.Door.Proven {
			numbers, ok := numbersOf(version)
			if !ok || last != nil && slices.Compare(numbers, last) >= 0 {
				t.Errorf("%s: its door names %q", a.name, a.hooks.Door.Proven)
			}
			last = numbers
		}
		if last == nil {
			t.Errorf("%s: its door names no version", a.name)
		}
	}
}
