package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/cmd/internal/fleet"
	"nod/cmd/internal/fleet/pipe"
	"nod/deliver"
	"nod/deliver/door"
	"nod/detect"
	"nod/detect/agents"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/internal/text/redact"
	"nod/nudge"
	"nod/nudge/grant"
	"nod/nudge/keeper"
	"nod/store"
)

// twoMachines is a world whose hub has a machine gpu1: events and questions go to the socket of its edge.
type twoMachines struct {
	*world
	doors   *door.Doors
	full    bool
	crossed record // the messages of edges
	decided func(string) bool
	words   []string // ids of the approvals that a human there has allowed
	consent func(yes bool) (shown string, given, ok bool)
}

// record collects everything written to it.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func newTwoMachines(t *testing.T) *twoMachines {
	t.Helper()
	w := &twoMachines{world: guarded(t, self(t)), doors: &door.Doors{}, full: true, decided: func(string) bool { return false }}
	w.consent = func(yes bool) (string, bool, bool) { return "", yes, true }
	w.set(func() { w.settings.Expiry = time.Hour })
	there := w.panes[0]
	there.Pane.Machine = "gpu1"
	if err := w.cfg.Keeper.See(there); err != nil {
		t.Fatal(err)
	}
	e := NewEdge(EdgeConfig{
		Doors: w.doors, Hook: func(detect.HookEvent) bool { return true }, Versions: w.cfg.Versions, Escaped: w.cfg.Escaped, Answers: func() bool { return true },
		Panes: w.cfg.Panes, Mask: redact.Mask, Full: func() bool { return w.full }, Health: func() []string { return nil }, Version: "1", Log: slog.New(slog.DiscardHandler),
		Decided: func(sum string) bool { return w.decided(sum) },
		Sockets: func() []string { return w.settings.TmuxSocket },
		Consent: func(id string, yes bool) (string, bool, bool) {
			w.words = append(w.words, id)
			return w.consent(yes)
		},
		Call: w.joined(t, "gpu1", redact.Mask).Call,
	})
	socket := filepath.Join(filepath.Dir(w.socket), "edge.sock")
	listener, err := rpc.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Serve(ctx, listener) }()
	hub := w.client
	w.client, w.socket = rpc.Dial(socket), socket
	t.Cleanup(func() {
		w.client.Close()
		stop()
		<-ended
		w.client = hub
	})
	return w
}

// joined is the edge of a machine, with an open link to the hub.
func (w *twoMachines) joined(t *testing.T, machine string, mask func(string) string) *fleet.Edge {
	t.Helper()
	hub := fleet.NewHub(fleet.HubConfig{
		See: func(detect.Sighting) {}, Ran: func(detect.Effect) {}, Decided: func(string) []string { return nil }, Away: func(string, time.Time) {},
		Called: w.There, Mask: redact.Mask, Version: "1",
	})
	claims, _, err := store.OpenClaims(filepath.Join(t.TempDir(), "claims.db"))
	if err != nil {
		t.Fatal(err)
	}
	edge := fleet.NewEdge(fleet.EdgeConfig{Claims: claims, Health: func() []string { return nil }, Takes: func() string { return fleet.Full }, Mask: mask, Version: "1"})
	fromEdge, toHub := io.Pipe()
	fromHub, toEdge := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { _ = hub.Attach(ctx, machine, pipe.NewLink(fromEdge, toEdge, fromEdge.Close)) })
	all.Go(func() {
		_ = edge.Run(ctx, pipe.NewLink(fromHub, io.MultiWriter(&w.crossed, toHub), fromHub.Close))
	})
	t.Cleanup(func() {
		stop()
		_, _ = toHub.Close(), toEdge.Close()
		all.Wait()
		claims.Close()
	})
	for errors.Is(edge.Call(ctx, "greeted?", nil, nil), fleet.ErrCut) {
		time.Sleep(time.Millisecond)
	}
	return edge
}

// denied waits until the hub knows about a call that was denied there.
func (w *twoMachines) denied(t *testing.T) nudge.Denials {
	t.Helper()
	for {
		changed := w.cfg.Keeper.Changes()
		events, err := w.cfg.Store.Tail(1)
		if err != nil {
			t.Fatal(err)
		}
		if len(events) > 0 && events[0].Kind == nudge.CallBlocked {
			d, _, err := w.cfg.Keeper.DenialsOf(events[0].Instruction)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Second):
			t.Fatalf("the hub knows of no denied call: %+v", events)
		}
	}
}

// TestACallThatWasDeniedThereIsAllowedHere: once, exactly that call, and the hooks there print it.
func TestACallThatWasDeniedThereIsAllowedHere(t *testing.T) {
	w := newTwoMachines(t)
	guard := agents.HooksOf("claude").Guard
	if w.event(t, "PreToolUse", repush, false) != "" {
		t.Error("a call that nobody denied waits for the hub")
	}
	token, said := w.event(t, "PermissionDenied", pushed, false), make(chan string, 1)
	go func() { said <- w.prints(t, token) }()
	d := w.denied(t)
	if c := d.Calls[0]; d.Pane.Machine != "gpu1" || c.Text != "git push --force" || c.Reason != "[Git Destructive]" || c.Folder != "/p" {
		t.Errorf("%+v", d)
	}
	if placed, err := w.cfg.Keeper.AllowDenied(answerTo(t.Context(), d.ID, ""), 0, d.Fingerprint(0)); err != nil || placed.Reason != "" {
		t.Fatal(placed.Refusal, err)
	}
	if got := <-said; got != guard.Retry {
		t.Errorf("the hook of the denial says %q", got)
	}
	if sums := w.cfg.Keeper.Decided("gpu1"); len(sums) != 1 || len(w.cfg.Keeper.Decided("gpu2")) != 0 {
		t.Errorf("gpu1 is told that somebody decided about %q", sums)
	}
	for name, fields := range map[string]string{"a sub-agent": repush + `,"agent_id":"a1"`, "another byte": strings.Replace(repush, "force", "forcf", 1)} {
		if w.event(t, "PreToolUse", fields, false) != "" {
			t.Errorf("%s waits for the hub", name)
		}
	}
	if got := w.prints(t, w.event(t, "PreToolUse", repush, false)); got != guard.Ask {
		t.Errorf("the hook before the call says %q", got)
	}
	if got := w.prints(t, w.event(t, "PreToolUse", repush, false)); !strings.HasPrefix(got, "error: ") {
		t.Errorf("it is let through twice: %q", got)
	}
	if d, _, _ := w.cfg.Keeper.DenialsOf(d.ID); d.Calls[0].Grant.State != grant.Asked {
		t.Errorf("it is %s", d.Calls[0].Grant.State)
	}
}

// TestAnEdgeThatWasStartedAgainAsks: a restarted edge asks about the calls that its hub names.
func TestAnEdgeThatWasStartedAgainAsks(t *testing.T) {
	w := newTwoMachines(t)
	asked := ""
	w.decided = func(sum string) bool { asked = sum; return true }
	got := w.prints(t, w.event(t, "PreToolUse", repush, false))
	if asked == "" || !strings.HasPrefix(got, "error: ") {
		t.Errorf("%q, %q", asked, got)
	}
}

// TestAnEdgeSpeaksForItsOwnAgentsAlone, whatever it sends: not for agents of the hub's machine, and not in
// another machine's name.
func TestAnEdgeSpeaksForItsOwnAgentsAlone(t *testing.T) {
	w := newTwoMachines(t)
	p := thereCall{thereAgent: thereAgent{Pane: w.own, Process: self(t)}, Blocked: nudge.Blocked{Call: grant.Call{Tool: "Bash"}, Text: "rm -rf /", Flaw: reason.Why{Kind: "a lie", What: strings.Repeat("x", 200<<10)}, Review: "r", Taking: nudge.ByServer}}
	here, there := w.joined(t, "gpu1", nil), w.joined(t, "gpu2", nil)
	if err := there.Call(t.Context(), "denial.blocked", p, &thereWord{}); err != nil {
		t.Fatal(err)
	}
	if list, err := w.cfg.Keeper.Denials(); err != nil || len(list) > 0 {
		t.Errorf("gpu2 spoke for an agent of another machine: %+v, %v", list, err)
	}
	if err := here.Call(t.Context(), "denial.blocked", p, &thereWord{}); err != nil {
		t.Fatal(err)
	}
	d := w.denied(t)
	if c := d.Calls[0]; d.Pane.Machine != "gpu1" || c.Flaw != (reason.Why{Kind: reason.DenialUncomparable}) || c.Review != "" || c.Taking != nudge.ByHook {
		t.Errorf("%+v", d)
	}
	if err := there.Call(t.Context(), "denial.said", thereSaid{Denied: keeper.Denied{ID: d.ID}}, &none{}); err != nil {
		t.Errorf("%v", err)
	}
	n, err := w.cfg.Keeper.Ask(AskParams{Question: "Here?", Project: "gpu1:x"}.question(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	for method, params := range map[string]any{"ask.wait": IDParams{n.ID}, "ask.cancel": CancelParams{n.ID, w.askKey(n.ID)}, "nudge.reply": ReplyParams{ID: n.ID}} {
		if err := here.Call(t.Context(), method, params, &none{}); err == nil {
			t.Errorf("gpu1 may call %s of a question here", method)
		}
	}
}

// TestSecretsStayThere: secrets in a call or a question are masked before they are sent, and a call that
// nobody sees whole can be allowed only at the terminal.
func TestSecretsStayThere(t *testing.T) {
	w := newTwoMachines(t)
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	fields := strings.Replace(pushed, "--force", "https://x:"+secret+"@h", 1)
	if got := w.prints(t, w.event(t, "PermissionDenied", fields, false)); !strings.HasPrefix(got, "error: ") {
		t.Errorf("its hook says %q", got)
	}
	if d := w.denied(t); d.Calls[0].Flaw.Kind != reason.DenialMasked {
		t.Errorf("%+v", d.Calls[0])
	}
	if crossed := w.crossed.String(); strings.Contains(crossed, secret) || !strings.Contains(crossed, "denial.blocked") {
		t.Errorf("crossed: %s", crossed)
	}
	var asked Asked
	if err := w.client.Call(t.Context(), "ask.create", AskParams{Question: "Use " + secret + "?"}, &asked); err != nil {
		t.Fatal(err)
	}
	if crossed := w.crossed.String(); strings.Contains(crossed, secret) || !strings.Contains(crossed, "ask.create") {
		t.Errorf("crossed: %s", crossed)
	}
}

// TestAProgramThereAsks: its question is shown with the machine's name, and the answer comes back; depending
// on NOD_EDGE only a no does.
func TestAProgramThereAsks(t *testing.T) {
	for _, c := range []struct {
		full   bool
		option int
		want   string
	}{{true, 0, "yes"}, {false, 0, ""}, {false, 1, "no"}} {
		w := newTwoMachines(t)
		w.full = c.full
		var asked Asked
		if err := w.client.Call(t.Context(), "ask.create", AskParams{Question: "Deploy?", Project: "api"}, &asked); err != nil {
			t.Fatal(err)
		}
		n, _, err := w.cfg.Keeper.Find(asked.ID)
		if err != nil || n.Project != "gpu1:api" || n.Program().Machine != "gpu1" {
			t.Errorf("%+v, %v", n, err)
		}
		now := time.Now()
		v, err := w.cfg.Keeper.Answer(nudge.Answer{By: nudge.Person{Name: "ann"}, Way: nudge.ByCommand, Nudge: asked.ID, Written: now, Read: now, Said: nudge.Said{Choice: &deliver.Choice{Index: c.option}}})
		if err != nil || v.Kind != nudge.Taken {
			t.Fatalf("%+v, %v", v, err)
		}
		var answer AskAnswer
		err = w.client.Wait(t.Context(), "ask.wait", IDParams{asked.ID}, &answer)
		if answer.Answer != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v: %+v, %v", c, answer, err)
		}
	}
}

// TestNoProgramThereAsksAsNod: a machine that lies names any program.
func TestNoProgramThereAsksAsNod(t *testing.T) {
	w := newTwoMachines(t)
	for _, name := range []string{"nod", " Nod"} {
		q := AskParams{Call: &AskCall{Tool: "Bash", Input: []byte(`{"command":"make"}`)}}.question(time.Hour)
		q.Program, q.Call.Lead = name, -2
		asked, err := w.askThere(t.Context(), "gpu1", q)
		if err != nil {
			t.Fatal(err)
		}
		if n, _, err := w.cfg.Keeper.Find(asked.ID); err != nil || n.Agent != "a program" || n.Prompt().Lead != 0 {
			t.Errorf("%q asks about %d lines, %v", n.Agent, n.Prompt().Lead, err)
		}
	}
}

// TestAnAgentThereAllowsNothing: only a human can consent to a request of the hub.
func TestAnAgentThereAllowsNothing(t *testing.T) {
	t.Parallel()
	w := newTwoMachines(t)
	for _, answer := range []string{"y", "n", "yes", "approve"} {
		err := w.client.Call(t.Context(), "nudge.reply", ReplyParams{ID: "k3f", Answer: answer, Way: ByInbox}, &ReplyResult{})
		fault := (*rpc.Fault)(nil)
		if !errors.As(err, &fault) || fault.Reason != string(deliver.CallerIsAgent) {
			t.Errorf("%s: %v", answer, err)
		}
	}
	for method, params := range map[string]any{
		"monitor.start": MonitorParams{Name: "ci", Match: "x", Argv: []string{"true"}}, "monitor.stop": NameParams{"ci"}, "monitor.restart": NameParams{"ci"},
		"session.new": SessionParams{Name: "api"}, "session.end": EndParams{Name: "api"}, "session.restart": EndParams{Name: "api"},
	} {
		err := w.client.Call(t.Context(), method, params, &none{})
		fault := (*rpc.Fault)(nil)
		if !errors.As(err, &fault) || fault.Reason != string(deliver.CallerIsAgent) {
			t.Errorf("%s: %v", method, err)
		}
	}
	if len(w.words) > 0 {
		t.Errorf("words of an agent counted: %v", w.words)
	}
}

// TestAMonitorElsewhereSpeaksUnderItsMachinesName: it can't replace a local one, and its reports are limited
// like any other's.
func TestAMonitorElsewhereSpeaksUnderItsMachinesName(t *testing.T) {
	t.Parallel()
	w := newTwoMachines(t)
	huge, there := strings.Repeat("x", 200<<10), w.joined(t, "gpu1", nil)
	for _, name := range []string{"ci", "gpu2:ci", "a\x00b", huge} {
		r := nudge.MonitorReport{Monitor: name, Count: -5, Lines: make([]string, 10_000), Ended: huge}
		r.Lines[9_999] = huge
		if err := there.Call(t.Context(), "monitor.report", r, &none{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := there.Call(t.Context(), "monitor.report", nudge.MonitorReport{Monitor: "quiet"}, &none{}); err != nil {
		t.Error(err)
	}
	var news []*nudge.MonitorNews
	err := w.cfg.Store.View(func(tx *store.Tx) error {
		news = tx.MonitorNews()
		return nil
	})
	if err != nil || len(news) != 5 {
		t.Fatalf("%d are told: %v", len(news), err)
	}
	for _, n := range news {
		if text, _ := json.Marshal(n); !strings.HasPrefix(n.Monitor, "gpu1:") || strings.ContainsRune(n.Monitor, 0) || n.Count != 0 || len(text) > 20<<10 {
			t.Errorf("%.40q tells %d lines, %d bytes", n.Monitor, n.Count, len(text))
		}
	}
}

// TestAMachineHasNoMonitorsWithoutEnd: one that lies names a new one in each report, and nod reads all news for each message.
func TestAMachineHasNoMonitorsWithoutEnd(t *testing.T) {
	w := newTwoMachines(t)
	refused := 0
	for i := range 200 {
		if _, err := w.reportThere(t.Context(), "gpu1", nudge.MonitorReport{Monitor: fmt.Sprint("m", i), Count: 1, Lines: []string{"x"}}); err != nil {
			refused++
		}
	}
	if refused < 100 {
		t.Errorf("%d of 200 were refused", refused)
	}
	for machine, monitor := range map[string]string{"gpu1": "m0", "gpu2": "ci"} {
		if _, err := w.reportThere(t.Context(), machine, nudge.MonitorReport{Monitor: monitor, Count: 1, Lines: []string{"x"}}); err != nil {
			t.Errorf("%s of %s: %v", monitor, machine, err)
		}
	}
	if err := w.cfg.Keeper.Report(nudge.MonitorReport{Monitor: "ci", Count: 1, Lines: []string{"x"}}); err != nil {
		t.Errorf("a monitor here: %v", err)
	}
}

// eachText applies a function to each text in a value, none of which may be empty.
func eachText(v reflect.Value, path string, do func(path string, text reflect.Value)) {
	switch v.Kind() {
	case reflect.String:
		do(path, v)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		eachText(v.Index(0), path, do)
	case reflect.Pointer:
		if v.Set(reflect.New(v.Type().Elem())); strings.Count(path, "Because") < 3 {
			eachText(v.Elem(), path, do)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				eachText(v.Field(i), path+"."+f.Name, do)
			}
		}
	case reflect.Map, reflect.Interface:
		panic("nobody masks " + path)
	}
}

// TestNoSecretOfALyingEdgesQuestionIsKept: whatever an edge asks, and whichever field contains a secret, no
// record here contains it.
func TestNoSecretOfALyingEdgesQuestionIsKept(t *testing.T) {
	t.Parallel()
	w := newTwoMachines(t)
	edge := w.joined(t, "gpu1", nil)
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	tried := 0
	for method, answer := range w.thereMethods() {
		var kind reflect.Type
		_, _ = answer(t.Context(), "gpu1", func(into any) error { kind = reflect.TypeOf(into).Elem(); return io.EOF })
		var paths []string
		eachText(reflect.New(kind).Elem(), "", func(path string, _ reflect.Value) { paths = append(paths, path) })
		for _, with := range paths {
			about := reflect.New(kind)
			eachText(about.Elem(), "", func(path string, text reflect.Value) {
				text.SetString("x")
				switch {
				case strings.HasSuffix(path, ".Pane.ID"):
					text.SetString(w.own.ID)
				case strings.HasSuffix(path, ".Pane.Server.Socket"):
					text.SetString(w.own.Server.Socket)
				}
				if path == with {
					text.SetString(text.String() + " " + secret)
				}
			})
			switch p := about.Interface().(type) {
			case *thereCall:
				p.Pane.Server.PID, p.Pane.Server.Start, p.Process = w.own.Server.PID, w.own.Server.Start, self(t)
			case *thereAgent:
				p.Pane.Server.PID, p.Pane.Server.Start, p.Process = w.own.Server.PID, w.own.Server.Start, self(t)
			case *nudge.ProgramQuestion:
				p.Call = nil // either a call or a question with options
			}
			tried++
			asking, stop := context.WithTimeout(t.Context(), 5*time.Second)
			_ = edge.Call(asking, method, about.Interface(), new(any))
			stop()
		}
	}
	var kept bytes.Buffer
	if _, err := w.cfg.Store.Backup(&kept); err != nil {
		t.Fatal(err)
	}
	if at := bytes.Index(kept.Bytes(), []byte(secret)); at >= 0 {
		t.Errorf("kept: %q", kept.Bytes()[max(0, at-300):at])
	}
	if masked := bytes.Count(kept.Bytes(), []byte(redact.Mask("x "+secret))); masked < 10 {
		t.Errorf("of %d secrets %d were kept masked", tried, masked)
	}
}
