package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"nod/detect"
	"nod/detect/screen"
	"nod/detect/taught"
	"nod/internal/actor"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/settings"
	"nod/nudge"
	"nod/store"
)

// BenchmarkInstructions plays turns of a scripted agent in a real pane, with two queued instructions each. It
// measures the time from queueing an instruction for an idle agent until its text is seen submitted, and from
// the end of a turn, reported by the agent's hook, to the first key of the next instruction. -benchtime=25x
// measures 25 of each.
func BenchmarkInstructions(b *testing.B) {
	real := tmuxtest.New(b)
	dir := b.TempDir()
	logged := filepath.Join(dir, "log")
	script, err := json.Marshal(actor.Script{Agent: "claude", Dir: dir, Log: logged})
	if err != nil {
		b.Fatal(err)
	}
	file, program := filepath.Join(dir, "script.json"), filepath.Join(dir, "claude")
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, program) // TestMain plays claude under this name
	}
	if err == nil {
		err = os.WriteFile(file, script, 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
	pane := real.Pane("exec "+program+" "+file, 80, 24)
	all := benchParts(b, settings.Environment{
		"HOME": b.TempDir(), "NOD_TELEGRAM_TOKEN": "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc", "NOD_TELEGRAM_API": "http://127.0.0.1:9",
		"NOD_SUPERVISORS": "1", "NOD_TMUX_SOCKET": real.Socket, "NOD_GRACE": "0s", "NOD_PRESENCE": "0s",
	})
	g, ctx := errgroup.WithContext(b.Context())
	g.Go(func() error { return all.watcher.Run(ctx) })
	all.watcher.Ready(ctx)
	g.Go(func() error { return all.keeper.Run(ctx) })
	until := func(what string, done func() bool) {
		for end := time.Now().Add(tmuxtest.Patience); !done(); time.Sleep(2 * time.Millisecond) {
			if time.Now().After(end) {
				b.Fatalf("waited in vain for %s:\n%s", what, real.Screen(pane))
			}
		}
	}
	look := func() (s detect.Sighting) {
		for _, s = range all.watcher.Panes() {
		}
		return s
	}
	instruction := func(id string) nudge.Instruction {
		i, _, err := all.keeper.Instruction(id)
		if err != nil {
			b.Fatal(err)
		}
		return i
	}
	queue := func(text string) nudge.Placed {
		p, err := all.keeper.Submit(look().Pane, nudge.Answer{Said: nudge.Said{Text: text}, Way: nudge.ByCommand}, 0)
		if err != nil || p.Reason != "" {
			b.Fatal(p.Refusal, err)
		}
		return p
	}
	// approve answers the agent's question for an instruction, and returns the time at which its turn ended.
	ran := 0
	approve := func() time.Time {
		var open []nudge.Nudge
		until("the question", func() bool {
			open, err = all.keeper.Queue()
			return err == nil && len(open) > 0 && open[0].Kind() == screen.Permission
		})
		if _, err := all.keeper.Answer(nudge.Answer{Nudge: open[0].ID, Said: nudge.Said{Decision: screen.Approve, Unseen: true}, Way: nudge.ByCommand}); err != nil {
			b.Fatal(err)
		}
		ran++
		var at time.Time
		until("the end of the turn", func() bool {
			events, err := actor.ReadLog(logged)
			if err != nil {
				b.Fatal(err)
			}
			events = slices.DeleteFunc(events, func(e actor.Event) bool { return e.Kind != "ran" })
			if len(events) < ran {
				return false
			}
			at = events[ran-1].At
			return true
		})
		stop, err := detect.ParseHook("claude", []byte(`{"hook_event_name":"Stop","session_id":"s"}`), fmt.Sprintf("%s,%d,0", real.Socket, real.PID()), pane)
		if err != nil {
			b.Fatal(err)
		}
		all.watcher.Hook(stop)
		return at
	}
	var submitted, next []time.Duration
	for b.Loop() {
		until("an idle agent", func() bool { return look().State == screen.Idle })
		first := queue("one")
		second := queue("two")
		until("the first to be submitted", func() bool { return !instruction(first.ID).Typed.IsZero() })
		submitted = append(submitted, instruction(first.ID).Typed.Sub(first.Submitted))
		over := approve()
		until("the second to be sent", func() bool { return !instruction(second.ID).Sent.IsZero() })
		next = append(next, instruction(second.ID).Sent.Sub(over))
		until("the second to be submitted", func() bool { return !instruction(second.ID).Typed.IsZero() })
		approve()
		until("the end of the second", func() bool { return instruction(second.ID).State == nudge.Completed })
	}
	for name, took := range map[string][]time.Duration{"submitted": submitted, "next": next} {
		slices.Sort(took)
		for _, p := range []int{50, 99} {
			b.ReportMetric(float64(took[(len(took)-1)*p/100].Milliseconds()), fmt.Sprintf("%s-p%d-ms", name, p))
		}
	}
}

// benchParts is a bot as `nod run` wires it, with its own records.
func benchParts(b *testing.B, env settings.Environment) *parts {
	b.Helper()
	s, err := settings.Load(env)
	if err != nil {
		b.Fatal(err)
	}
	records, err := store.Open(filepath.Join(b.TempDir(), "state", "nod.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = records.Close() })
	log := slog.New(slog.DiscardHandler)
	return assemble(settings.NewHolder(env, s, log, nil), taught.NewHolder("", log), records, make(chan struct{}, 1), log)
}
