package message

import (
	"strings"
	"testing"

	"nod/nudge"
)

func TestMonitorMessages(t *testing.T) {
	many := make([]string, 10)
	for i := range many {
		many[i] = "FAIL <" + strings.Repeat("x", i) + ">"
	}
	for name, n := range map[string]nudge.MonitorReport{
		"monitor-one":   {Monitor: "ci", Count: 1, Lines: []string{"FAIL one"}},
		"monitor-many":  {Monitor: "ci", Count: 1234, Lines: many},
		"monitor-ended": {Monitor: "ci", Count: 2, Lines: many[:2], Ended: "exit status 3"},
		"monitor-quiet": {Monitor: "ci", Ended: "exit status 0"},
	} {
		t.Run(name, func(t *testing.T) {
			compareGolden(t, name, Monitor(nudge.MonitorNews{MonitorReport: n}, goldenStyle()))
		})
	}
}

// TestMonitorLinesAreMasked like screens.
func TestMonitorLinesAreMasked(t *testing.T) {
	style := goldenStyle()
	style.Redact = func(s string) string { return strings.ReplaceAll(s, "hunter2", "•••") }
	n := nudge.MonitorNews{MonitorReport: nudge.MonitorReport{Monitor: "ci", Count: 1, Lines: []string{"FAIL password=hunter2 \u200e"}}}
	text := Monitor(n, style).Page.Plain
	if strings.Contains(text, "hunter2") || !strings.Contains(text, "•••") || !strings.Contains(text, "<U+200E>") {
		t.Error(text)
	}
	n.Ended = "it said password=hunter2"
	if text := Monitor(n, style).Page.Plain; strings.Contains(text, "hunter2") {
		t.Error(text)
	}
	style.Minimal = true
	if text := Monitor(n, style).Page.Plain; strings.Contains(text, "FAIL") {
		t.Error(text)
	}
}
