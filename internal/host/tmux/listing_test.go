package tmux

import "testing"

// FuzzListing: whatever stands in the titles and paths of panes, a listing is read or refused, and names its server.
func FuzzListing(f *testing.F) {
	const server, pane = "M|S12 34 v3.4 own\n", "M|P%1 12 0000000 80 24 @1 0 0 17 /dev/pts/1"
	f.Add(server + pane + "M|TsM|TwM|TtM|TpM|TaM|Tn\nM|C0 17 @1 %1 attached 99 /dev/pts/1\nM|X%1 12 80 24\nhello\nM|Q%1 12 00 80 24 \n")
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
