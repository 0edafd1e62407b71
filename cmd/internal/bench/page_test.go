package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// page is docs/performance.md.
func page(all map[string]measured) string {
	var b strings.Builder
	b.WriteString(`# What nod costs

<!-- make bench writes this page. -->

Measured by ` + "`make bench`" + ` with a built ` + "`nod run`" + `, a real tmux server, panes in which a program draws Claude Code's screens, and
Telegram's Bot API played on the same machine: what Telegram and the network take comes on top of what is sent. CPU is that of nod,
of the tmux processes that it starts, and of what the tmux server takes more than without nod. nod polls once a second here;
of itself it does every two. Trust the ratios: the numbers are those of one machine.

`)
	for _, p := range parts {
		m, ok := all[p.name]
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "- `make bench PART=%s`: %s, %s, load %s before it began.", p.name, m.When, m.Machine, m.Load)
		if m.Short {
			b.WriteString(" **A short trial, too short to go by.**")
		}
		b.WriteString("\n")
	}
	b.WriteString("\n| goal | at most | measured | |\n| --- | --- | --- | --- |\n")
	for _, g := range goals {
		v, ok := all[g.part].Values[g.value]
		met := "**missed**"
		switch {
		case !ok:
			met = "not measured"
		case v <= g.limit:
			met = "met"
		}
		fmt.Fprintf(&b, "| %s | %s %s | %s | %s |\n", g.what, number(g.limit), g.unit, number(v), met)
	}
	b.WriteString("| allocations for a pane that did not change | 0 | `TestAStillPaneAllocatesNothing`, `TestAStillPaneIsReadWithoutAllocating` | kept by tests |\n")
	b.WriteString("| what the database keeps of a question that is over | 30 days | `TestRecordsEndAfterAMonth` | kept by a test |\n")
	if v := all["latency"].Values; v != nil {
		fmt.Fprintf(&b, "\nLatencies are of %s dialogs by polls, %s by the hook and %s replies.\n", number(v["poll-count"]), number(v["hook-count"]), number(v["key-count"]))
		if read := v["key-reads"]; read > 0 {
			fmt.Fprintf(&b, "A reply comes %s s after its message: a person reads that first. One within about a second of the dialog's drawing waits 0.15 s longer, until agents take keys.\n", number(read))
		}
	}
	v := all["cpu"].Values
	b.WriteString("\n![CPU over panes: the naive way, and nod](performance.svg)\n\nPercent of a core, by panes. Naive is a `tmux capture-pane` process for each pane each second, and looks at nothing that it reads.\n\n")
	b.WriteString("| panes | naive | all draw | a fifth draws | still | naive takes, against still |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, n := range paneCounts {
		at := func(name string) float64 { return v[fmt.Sprintf("%s-%d", name, n)] }
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s times |\n", n, number(at("naive")), number(at("all")), number(at("fifth")), number(at("still")), number(math.Round(at("naive")/at("still"))))
	}
	fmt.Fprintf(&b, "\nOf the %s MB of memory of 200 still panes, %s are the program's own file, which the system can drop and read again.\n", number(v["memory-200"]), number(v["file-memory-200"]))
	return b.String()
}

// number is v with three digits that mean something.
func number(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// curves are the plot's, with their colours.
var curves = []struct{ value, label, colour string }{
	{"naive", "naive: a process a pane", "#888888"}, {"all", "nod, all draw", "#c0392b"},
	{"fifth", "nod, a fifth draws", "#d68910"}, {"still", "nod, all still", "#1e8449"},
}

// plot is docs/performance.svg: percent of a core, by tenfolds, over panes.
func plot(v map[string]float64) string {
	const left, right, top, bottom = 50, 470, 15, 255
	x := func(panes int) float64 { return left + float64(panes)*(right-left)/allPanes }
	y := func(percent float64) float64 {
		return bottom - (math.Log10(min(max(percent, 0.1), 100))+1)*(bottom-top)/3
	}
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 295" font-family="sans-serif" font-size="12"><rect width="640" height="295" fill="#fff"/>` + "\n")
	for _, percent := range []float64{0.1, 1, 10, 100} {
		fmt.Fprintf(&b, `<path d="M%d %.0fH%d" stroke="#ddd"/><text x="%d" y="%.0f" text-anchor="end">%g %%</text>`+"\n", left, y(percent), right, left-6, y(percent)+4, percent)
	}
	for _, n := range paneCounts {
		fmt.Fprintf(&b, `<text x="%.0f" y="%d" text-anchor="middle">%d</text>`+"\n", x(n), bottom+18, n)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">panes, polled once a second; percent of a core, tmux's share included</text>`+"\n", (left+right)/2, bottom+35)
	for _, c := range curves {
		var points []string
		for _, n := range paneCounts {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(n), y(v[fmt.Sprintf("%s-%d", c.value, n)])))
		}
		last := y(v[fmt.Sprintf("%s-%d", c.value, paneCounts[len(paneCounts)-1])])
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/><text x="%d" y="%.0f" fill="%s">%s</text>`+"\n", strings.Join(points, " "), c.colour, right+6, last+4, c.colour, c.label)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
