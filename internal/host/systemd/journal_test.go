package systemd

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"nod/internal/settings"
)

// TestJournalHasOneLineAnEventWithItsLevel: each line has a level and no time.
func TestJournalHasOneLineAnEventWithItsLevel(t *testing.T) {
	for format, want := range map[settings.LogFormat]string{
		settings.LogText: "<7>msg=look part=tmux pane=%1\n<6>msg=\"two\\nlines\" part=tmux pane=%1\n<4>msg=look part=tmux pane=%1 g.level=x\n<3>msg=look part=tmux\n",
		settings.LogJSON: `<7>{"msg":"look","part":"tmux","pane":"%1"}
<6>{"msg":"two\nlines","part":"tmux","pane":"%1"}
<4>{"msg":"look","part":"tmux","pane":"%1","g":{"level":"x"}}
<3>{"msg":"look","part":"tmux"}
`,
	} {
		var out bytes.Buffer
		log := slog.New(newJournalHandler(&out, format, slog.LevelDebug, asIs)).With("part", "tmux")
		log.Debug("look", "pane", "%1")
		log.Info("two\nlines", "pane", "%1")
		log.With("pane", "%1").WithGroup("g").Warn("look", "level", "x")
		log.Error("look")
		if out.String() != want {
			t.Errorf("%s:\n%s\nwant\n%s", format, out.String(), want)
		}
	}
	var out bytes.Buffer
	slog.New(newJournalHandler(&out, settings.LogText, slog.LevelWarn, asIs)).Info("left out")
	if strings.TrimSpace(out.String()) != "" {
		t.Errorf("%q", out.String())
	}
}

func asIs(_ []string, a slog.Attr) slog.Attr { return a }
