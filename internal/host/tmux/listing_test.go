package tmux

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// FuzzListing: whatever is in the titles and paths of panes, a listing is read or refused, and names its server.
func FuzzListing(f *testing.F) {
	const server, pane = "M|S12 34 v3.4 own\n", "M|P%1 12 0000000 80 24 @1 0 0 17 /dev/pts/1"
	f.Add(server + pane + "M|TsM|TwM|TtM|TpM|TaM|TnM|T%1 12 0 0 80 24 ;\nM|C0 17 @1 %1 attached 99 /dev/pts/1\nM|X%1 12 80 24\nhello\nM|G17%1 12 0 0 80 24 ;\n")
	f.Add(server + pane + "M|TsM|Tw")
	f.Add("M|S")
	f.Fuzz(func(t *testing.T, out string) {
		l, err := records{"M|"}.read("/tmp/s", out)
		if err == nil && l.Life.PID == 0 {
			t.Errorf("%+v", l)
		}
		for _, p := range l.Panes {
			if !validPane(p.ID) {
				t.Errorf("a pane %q", p.ID)
			}
		}
	})
}

// TestAListingKeepsNoScreens: what a poll says of panes, clients and the owner does not keep the output that it was read from in memory.
func TestAListingKeepsNoScreens(t *testing.T) {
	const rounds, screens = 64, 1 << 20
	kept := make([]Listing, rounds)
	for i := range kept {
		out := "M|S12 34 v3.4 own\nM|P%1 12 0000000 80 24 @1 0 0 17 /dev/pts/1M|TsM|TwM|TtM|TpM|TaM|TnM|T%1 12 0 0 80 24 ;\n" +
			"M|C0 17 @1 %1 attached 99 /dev/pts/1\nM|Y\n" + strings.Repeat("x", screens)
		l, err := records{"M|"}.read("/tmp/s", out)
		if err != nil || len(l.Panes) != 1 || len(l.Clients) != 1 || l.screens == "" {
			t.Fatalf("%+v, %v", l.Listing, err)
		}
		kept[i] = l.Listing
	}
	runtime.GC()
	var memory runtime.MemStats
	if runtime.ReadMemStats(&memory); memory.HeapAlloc > rounds/4*screens {
		t.Errorf("%d listings keep %d MB", rounds, memory.HeapAlloc>>20)
	}
	runtime.KeepAlive(kept)
}

// TestAStillPaneIsReadWithoutAllocating: what reading a poll allocates does not grow with the panes that have drawn nothing.
func TestAStillPaneIsReadWithoutAllocating(t *testing.T) {
	for _, brief := range []bool{false, true} {
		allocated := func(panes int) float64 {
			m := newRecords()
			last := Listing{Taken: time.Now(), windows: map[string][]int{}}
			was := map[string]*Capture{}
			kind := map[bool]string{false: ofGate, true: ofBrief}[brief]
			out := m.marker + ofServer + "7 70 v3.4 \n" + m.marker + kind
			for i := range panes {
				p := Pane{ID: fmt.Sprintf("%%%d", i), PID: 100 + i, Width: 80, Height: 24, Activity: time.Unix(17, 0)}
				window := fmt.Sprintf("@%d", i)
				p.still = fmt.Sprintf("%s %d 0 0 80 24 ;", p.ID, p.PID)
				last.Panes, last.windows[p.ID], last.windows[window] = append(last.Panes, p), []int{i}, []int{i}
				was[p.ID] = &Capture{Pane: p, Taken: last.Taken}
				out += "17" + map[bool]string{false: p.still, true: window + ";"}[brief]
			}
			return testing.AllocsPerRun(20, func() {
				l, err := m.read("/tmp/s", out)
				if err != nil || !l.carryOver(last, last.Taken) || len(slices.Collect(l.changed(was))) != 0 {
					t.Fatalf("the panes are not known to be still: %v", err)
				}
			})
		}
		if few, many := allocated(100), allocated(300); many-few > 1 {
			t.Errorf("a poll allocates %.0f times for 300 panes, %.0f times for 100 (brief: %v)", many, few, brief)
		}
	}
}

// TestAPaneIsSparedOnlyWhileItDraws and nothing else has changed in it, and not by a look that brings spared screens.
func TestAPaneIsSparedOnlyWhileItDraws(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0).Add(300 * time.Millisecond)
	for name, tt := range map[string]struct {
		change func(l *listed, p *Pane, was *Capture)
		want   bool
	}{
		"it draws":               {func(*listed, *Pane, *Capture) {}, true},
		"it drew a second ago":   {func(_ *listed, p *Pane, _ *Capture) { p.Activity = time.Unix(999, 0) }, true},
		"it has stopped":         {func(_ *listed, p *Pane, _ *Capture) { p.Activity = time.Unix(998, 0) }, false},
		"nothing else tells":     {func(_ *listed, _ *Pane, was *Capture) { was.Spared = false }, false},
		"all screens came":       {func(l *listed, _ *Pane, _ *Capture) { l.spares = false }, false},
		"it was never captured":  {func(_ *listed, _ *Pane, was *Capture) { was.Taken = time.Time{} }, false},
		"it has another process": {func(_ *listed, p *Pane, _ *Capture) { p.PID++ }, false},
		"it is dead":             {func(_ *listed, p *Pane, _ *Capture) { p.Dead = true }, false},
		"it is in a mode":        {func(_ *listed, p *Pane, _ *Capture) { p.InMode = true }, false},
		"it is wider":            {func(_ *listed, p *Pane, _ *Capture) { p.Width++ }, false},
		"it is higher":           {func(_ *listed, p *Pane, _ *Capture) { p.Height++ }, false},
	} {
		pane := Pane{ID: "%1", PID: 7, Width: 80, Height: 24, Activity: time.Unix(1000, 0)}
		l, was := listed{Listing: Listing{Taken: now}, spares: true}, Capture{Pane: pane, Taken: now.Add(-3 * time.Second), Spared: true}
		tt.change(&l, &pane, &was)
		if got := l.spared(&pane, &was); got != tt.want {
			t.Errorf("%s: spared is %v", name, got)
		}
	}
}
