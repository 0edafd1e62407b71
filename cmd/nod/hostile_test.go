package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"nod/cmd/internal/control"
	"nod/internal/host/tmux"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/internal/testrun"
	"nod/nudge"
)

// forgery begins a line of each hostile text: no command's output may have a line that begins so.
const forgery = "✅nod"

// hostileText is a text with what moves a cursor, turns the direction, or begins another line.
func hostileText(r *rand.Rand) string {
	pieces := []string{"\x1b[2J", "\x1b]0;t\a", "\x1b]52;c;eA==\x1b\\", "\u009b2J", "\r" + forgery, "\n" + forgery, "\u2028" + forgery, "\v" + forgery, "\f" + forgery, "\u0085" + forgery, "\b\b", "\x7f", "\u202e",
		"\u2066", "\u200f", "\x00", "\xff", "api", " ", "\t", "大", "é", "`", "%s", strings.Repeat("a", 300), "\x0e", "\x1bc", "\x1b", "\x1b[", "#", "\u061c"}
	var b strings.Builder
	b.WriteString("x")
	for range 1 + r.IntN(5) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// fill sets all that v holds, at any depth.
func fill(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(hostileText(r))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(r.IntN(9)))
	case reflect.Uint64:
		v.SetUint(uint64(r.IntN(9)))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Pointer:
		if r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(2), 2))
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(r, key)
		fill(r, value)
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1_700_000_000+int64(r.IntN(1e6)), 0).UTC()))
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(r, v.Field(i))
			}
		}
	}
}

// hostileBot answers each method with hostile texts, or refuses with one.
func hostileBot(t *testing.T, r *rand.Rand) (socket string) {
	t.Helper()
	socket = filepath.Join(shortTemp(t), "s")
	listener, err := rpc.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	methods := rpc.Methods{}
	for method, result := range map[string]any{
		"health": control.Health{}, "pane.list": []control.Pane{}, "background.list": []control.Pane{}, "pane.capture": control.Capture{}, "pane.check": control.Check{}, "pane.send": control.Sent{},
		"pane.tell": control.TellResult{}, "pane.watch": struct{}{}, "pane.unwatch": struct{}{}, "machine.list": []control.Machine{}, "nudge.list": []control.Nudge{},
		"nudge.queue": []control.Nudge{}, "nudge.reply": control.ReplyResult{}, "nudge.skip": control.State{}, "nudge.snooze": control.State{}, "nudge.again": control.State{}, "habit.list": []control.Habit{},
		"ask.create": control.Asked{}, "ask.wait": control.AskAnswer{}, "ask.cancel": struct{}{}, "log.list": control.Log{}, "settings.list": control.Settings{},
		"instruction.submit": control.Submitted{}, "instruction.wait": control.Waited{}, "instruction.list": []control.Instruction{}, "instruction.cancel": control.Cancelled{},
		"hub.invite": control.Invite{}, "machine.forget": struct{}{}, "web.link": control.Link{}, "web.revoke": control.Revoked{}, "file.share": control.Shared{},
		"session.list": []control.SessionRow{}, "session.new": control.Session{}, "session.end": control.Session{}, "session.restart": control.Session{},
		"monitor.start": control.MonitorStarted{}, "monitor.list": []control.Monitor{}, "monitor.show": control.Monitor{}, "monitor.stop": struct{}{}, "monitor.restart": control.MonitorStarted{}, "monitor.logs": control.Logs{},
	} {
		methods[method] = rpc.Method(func(context.Context, json.RawMessage) (any, error) {
			mu.Lock()
			defer mu.Unlock()
			if r.IntN(4) == 0 {
				return nil, rpc.Refuse("not_found", hostileText(r))
			}
			v := reflect.New(reflect.TypeOf(result)).Elem()
			fill(r, v)
			switch answer := v.Addr().Interface().(type) { // the commands wait for these
			case *control.AskAnswer:
				answer.State = string(nudge.Delivered)
			case *control.Waited:
				answer.State = string(nudge.Completed)
			}
			return v.Interface(), nil
		})
	}
	serveMethods(t, listener, methods)
	return socket
}

// TestNoNameCommandsATerminal: whatever the bot tells, and whatever it is called with, a command prints no control character and no line
// that begins with the text of somebody else.
func TestNoNameCommandsATerminal(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("drawn with the seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	env := settings.Environment{"NOD_SOCKET": hostileBot(t, r), "NOD_STATE_DIR": t.TempDir()}
	bad := map[string]int{}
	for range testrun.Rounds(100, 3000) {
		name := strings.ReplaceAll(hostileText(r), "\x00", "")
		lines := [][]string{
			{"status"}, {"status", "--tmux"}, {"status", "--json"}, {"queue"}, {"queue", "--json"}, {"next"}, {"skip", name}, {"capture", name}, {"capture", "gpu1:%1"}, {"capture", "gpu1:%1", "--color"}, {"check", name}, {"log"}, {"log", "--json"}, {"habits"}, {"habits", "--json"},
			{"reply", name, "y"}, {"reply", "k3f", name}, {"ask", "--", name}, {"tell", "--", "api", name}, {"tell", "--queue", "--", "api", name}, {"tell", "--wait", "api", "x"}, {"tell", "--list"}, {"tell", "--list", "--json"}, {"tell", "--cancel", name}, {"send", "%1", name},
			{"monitor", "start", "ci", "--match", "x"}, {"monitor", "list"}, {"monitor", "show", name}, {"monitor", "stop", name}, {"monitor", "restart", name}, {"monitor", "logs", name}, {"monitor", "list", "--json"}, {"monitor", "show", name, "--json"},
			{"session", "list"}, {"session", "new", name, "--agent", "claude"}, {"session", "end", name}, {"session", "restart", name}, {"share", name}, {"watch", name, "--agent", "claude"}, {"unwatch", name},
			{"machines"}, {"machines", "--json"}, {"machines", "forget", name}, {"web", "--revoke"}, {"config"}, {"config", "--json"}, {"config", "set", name}, {name}, {"status", name}, {"--" + name}, {"monitor", name}, {"metrics"}, {"inbox", "--plain"},
		}
		line := lines[r.IntN(len(lines))]
		var out, errs bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		code := run(ctx, env, line, streams{strings.NewReader(""), &out, &errs})
		cancel()
		for which, text := range map[string]string{"stdout": out.String(), "stderr": errs.String()} {
			what := ""
			if line[0] == "monitor" && line[1] == "logs" && which == "stdout" {
				continue
			}
			if i := strings.IndexFunc(text, func(c rune) bool {
				return unicode.IsControl(c) && c != '\n' && c != '\t' || unicode.Is(unicode.Bidi_Control, c)
			}); i >= 0 {
				what = fmt.Sprintf("prints %q", text[max(0, i-20):min(len(text), i+20)])
			} else if i := strings.Index("\n"+text, "\n"+forgery); i >= 0 && !slices.Contains([]string{"capture", "ask", "tell"}, line[0]) && (len(line) < 2 || line[1] != "logs") {
				what = fmt.Sprintf("has a line of another: %.100q", text[max(0, i-60):])
			}
			if key := strings.Join(line[:min(2, len(line))], " ") + which; what != "" {
				if bad[key]++; bad[key] < 3 {
					t.Errorf("nod %.60q, exit %d: %s %s", line, code, which, what)
				}
			}
		}
	}
}

// TestAProposedCommandIsQuoted: an answer may be an agent's label, as it was copied from the screen.
func TestAProposedCommandIsQuoted(t *testing.T) {
	for answer, want := range map[string]string{"y": "k3f y`", "Yes, 'n' $(touch x)": `k3f 'Yes, '\''n'\'' $(touch x)'` + "`"} {
		f := explain(explainReply(&rpc.Fault{Message: "a part of it is not seen", Needs: "unseen"}, control.ReplyParams{ID: "k3f", Answer: answer}))
		if !strings.HasSuffix(f.hint, want) {
			t.Errorf("%q: %s", answer, f.hint)
		}
	}
}

// TestAWrappedNameBeginsNoLine: a long name with a blank in it is broken there.
func TestAWrappedNameBeginsNoLine(t *testing.T) {
	socket := "/nowhere/x " + forgery + strings.Repeat("a", 90)
	var out bytes.Buffer
	p := &program{streams: streams{out: &out}}
	p.printAbsent(t.Context(), []*tmux.Server{tmux.New(socket)})
	if text := out.String(); !strings.Contains(text, forgery) || strings.Contains(text, "\n"+forgery) {
		t.Errorf("%q", text)
	}
}
