package control

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"golang.org/x/sync/errgroup"

	"nod/cmd/internal/control/caller"
	"nod/cmd/internal/desk"
	"nod/cmd/internal/jobs/launch"
	"nod/cmd/internal/jobs/monitor"
	"nod/deliver"
	"nod/deliver/door"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/internal/testrun"
	"nod/nudge"
	"nod/nudge/keeper"
	"nod/store"
)

// world is a Control on a real socket, with a real database and a real tmux server with two panes. The calls
// come from this test's own process.
type world struct {
	*Control
	client *rpc.Client
	socket string
	human  bool // call as a person
	seat   *seat
	own    detect.PaneRef
	other  detect.PaneRef

	changing sync.Mutex // held while the server or the test uses the fields below
	settings settings.Settings
	panes    []detect.Sighting
	tried    bool // too many servers are being tried
	viewed   []detect.PaneRef
	escaped  time.Time // when somebody at the terminal stopped the agent
}

// set changes data that the server reads while it runs.
func (w *world) set(change func()) {
	w.changing.Lock()
	defer w.changing.Unlock()
	change()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	server := tmuxtest.New(t)
	own, other := server.Pane("exec cat", 80, 24), server.Pane("exec cat", 80, 24)
	listing, err := tmux.New(server.Socket).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(server.Socket) // short enough for a Unix socket
	records, err := store.Open(filepath.Join(t.TempDir(), "state", "nod.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = records.Close() })
	w := &world{
		own: detect.PaneRef{Server: listing.Life, ID: own}, other: detect.PaneRef{Server: listing.Life, ID: other},
		settings: settings.Settings{TmuxSocket: settings.Sockets{server.Socket}},
		client:   rpc.Dial(filepath.Join(dir, "nod.sock")),
		socket:   filepath.Join(dir, "nod.sock"),
	}
	doors := &door.Doors{}
	typist := deliver.New(deliver.Config{Keyboards: func(string) deliver.Keyboard { return nil }, Doors: doors})
	keeper := keeper.New(keeper.Config{
		Store: records, Typist: typist, Rules: func() nudge.Rules {
			return nudge.Rules{Expiry: time.Hour, Presence: time.Minute, Supervisors: []nudge.Place{"42"}}
		},
		Log: slog.New(slog.DiscardHandler), Uptime: proc.Uptime, Alive: detect.Whereabouts.Alive, Changed: func() {},
	})
	monitors := monitor.New(monitor.Config{
		Records: records, Report: keeper.Report, Log: slog.New(slog.DiscardHandler),
		Screen: func(context.Context, detect.PaneRef, int) ([]string, error) { return nil, nil },
	})
	feed := desk.NewFeed(desk.FeedConfig{
		Open: keeper.Open, Changes: keeper.Changes, Panes: func() []detect.Sighting { return nil }, View: func(pane detect.PaneRef, _ time.Time) { w.set(func() { w.viewed = append(w.viewed, pane) }) },
		Style: func() desk.Style { return desk.Style{} }, Health: func() []string { return nil }, Log: slog.New(slog.DiscardHandler),
	})
	w.Control = New(Config{
		Keeper:   keeper,
		Typist:   typist,
		Store:    records,
		Doors:    doors,
		Monitors: monitors,
		Sessions: launch.New(launch.Config{Records: records, Sockets: func() []string { return nil }}),
		Settings: func() (s settings.Settings) { w.set(func() { s = w.settings }); return s },
		Watch: Watch{
			Panes: func() (all []detect.Sighting) { w.set(func() { all = w.panes }); return all },
			Hook:  func(detect.HookEvent) bool { return true }, Versions: func(e detect.HookEvent) string { return e.Version },
			Escaped:    func(detect.HookEvent) (at time.Time) { w.set(func() { at = w.escaped }); return at },
			WatchFor:   func(string, time.Time) (may bool) { w.set(func() { may = !w.tried }); return may },
			Background: detect.NewBackground(slog.New(slog.DiscardHandler)), Served: func(proc.ID) bool { return false },
			Machines: func() []Machine { return []Machine{{Name: "gpu1"}} },
			Errand: func(context.Context, string, launch.Errand) (launch.Done, error) {
				return launch.Done{}, rpc.Refuse(string(deliver.Away), "gpu1 is away")
			},
		},
		Chat:    Chat{Outside: func(detect.HookEvent) {}},
		Health:  func() []string { return nil },
		Desk:    feed,
		Metrics: http.NotFoundHandler(),
		Page:    &Page{Link: func(bool) (string, error) { return "http://127.0.0.1:7777/#code", nil }, Revoke: func() int { return 1 }},
		Version: "1",
		Log:     slog.New(slog.DiscardHandler),
	})
	listener, err := rpc.Listen(filepath.Join(dir, "nod.sock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := keeper.Interrupt(); err != nil {
		t.Fatal(err)
	}
	g, ctx := errgroup.WithContext(t.Context())
	g.Go(func() error { return keeper.Run(ctx) })
	g.Go(func() error { return monitors.Run(ctx) })
	g.Go(func() error { return feed.Run(ctx) })
	g.Go(func() error { return w.Serve(ctx, listener) })
	t.Cleanup(func() {
		w.client.Close()
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// waits opens a nudge for a prompt in a pane, and returns its id.
func (w *world) waits(t *testing.T, pane detect.PaneRef) string {
	t.Helper()
	prompt := &screen.Prompt{Content: screen.Content{Agent: "claude"}, Ways: screen.Ways{Approve: []string{"1"}, Deny: []string{"2"}}, Fingerprint: "f" + pane.ID}
	err := w.cfg.Keeper.See(detect.Sighting{Whereabouts: detect.Whereabouts{Pane: pane, Agent: "claude"}, State: screen.Permission, Prompt: prompt, At: time.Now(), By: "poll"})
	if err != nil {
		t.Fatal(err)
	}
	queue, err := w.cfg.Keeper.Queue()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range queue {
		if n.Pane == pane {
			return n.ID
		}
	}
	t.Fatalf("nothing waits in %s", pane)
	return ""
}

// refusedAsAgent calls a method from this test's own process and reports whether it was refused because the
// caller is an agent.
func (w *world) refusedAsAgent(t *testing.T, method string, params any) bool {
	t.Helper()
	var result json.RawMessage
	return isRefusal(t, method, w.client.Call(t.Context(), method, params, &result))
}

func isRefusal(t *testing.T, method string, err error) bool {
	t.Helper()
	if fault := (*rpc.Fault)(nil); errors.As(err, &fault) {
		return fault.Reason == string(deliver.CallerIsAgent)
	}
	if err != nil {
		t.Errorf("%s: %v", method, err)
	}
	return false
}

// access says for every method whether an agent may call it, and with which parameters to call it for a pane.
// A method that types or answers, starts a program, stops watching a pane, or otherwise lets answers in, is
// for humans.
func (w *world) access(t *testing.T, pane detect.PaneRef) map[string]struct {
	params    any
	forHumans bool
} {
	return map[string]struct {
		params    any
		forHumans bool
	}{
		"health":        {nil, false},
		"pane.list":     {nil, false},
		"machine.list":  {nil, false},
		"pane.capture":  {CaptureParams{Pane: pane.ID}, false},
		"pane.check":    {PaneParams{pane.ID}, false},
		"nudge.list":    {ListParams{}, false},
		"nudge.queue":   {nil, false},
		"nudge.skip":    {DeferParams{ID: "none"}, true},
		"nudge.snooze":  {DeferParams{ID: "none", ForMS: 1}, true},
		"nudge.again":   {DeferParams{ID: "none"}, true},
		"habit.list":    {HabitParams{Least: 1}, false},
		"log.list":      {LogParams{}, false},
		"settings.list": {nil, false},
		"ask.create":    {AskParams{Question: "Deploy?"}, false},
		"ask.wait":      {IDParams{"none"}, false},
		"ask.cancel":    {CancelParams{"none", ""}, false},
		"door.wait":     {DoorParams{"none"}, false},
		"door.printed":  {DoorParams{"none"}, false},
		"store.backup":  {IDParams{"it is a stream"}, false},

		"instruction.submit": {SubmitParams{Pane: w.other.ID, Text: "hello"}, false}, // it becomes a wish
		"instruction.wait":   {WaitParams{ID: "none"}, false},
		"instruction.list":   {InstructionsParams{}, false},
		"instruction.cancel": {IDParams{w.queued(t, w.other)}, true},

		"hub.invite":     {InviteParams{ForMS: 600_000}, true},
		"machine.forget": {MachineParams{Name: "gpu1"}, true},

		"web.link":   {LinkParams{}, true},
		"web.revoke": {nil, true},

		"file.share": {ShareParams{Path: "/nowhere"}, false}, // from an agent it becomes a wish
		"wish.send":  {WishParams{ID: "none", Fingerprint: "x"}, true},
		"wish.drop":  {WishParams{ID: "none", Fingerprint: "x"}, true},

		"denial.allow": {DenialParams{ID: "none", Fingerprint: "x"}, true},
		"denial.leave": {DenialParams{ID: "none", Fingerprint: "x"}, true},

		"background.list": {nil, false},
		"session.list":    {nil, false},
		"session.new":     {SessionParams{Name: "api"}, true},
		"session.end":     {EndParams{Name: "none"}, true},
		"session.restart": {EndParams{Name: "none"}, true},

		"events":      {IDParams{"it would never end"}, false},
		"inbox.watch": {IDParams{"it would never end"}, false},
		"inbox.view":  {ViewParams{"none"}, false},

		"monitor.start":   {MonitorParams{Name: "ci"}, true},
		"monitor.list":    {MonitorsParams{}, false},
		"monitor.show":    {NameParams{"none"}, false},
		"monitor.stop":    {NameParams{"none"}, true},
		"monitor.restart": {NameParams{"none"}, true},
		"monitor.logs":    {LogsParams{Name: "none"}, false},

		"pane.send":    {SendParams{pane.ID, []string{"1"}}, true},
		"pane.tell":    {TellParams{pane.ID, "hello"}, true},
		"pane.watch":   {WatchParams{pane.ID, "claude"}, true},
		"pane.unwatch": {PaneParams{pane.ID}, true},
		"nudge.reply":  {ReplyParams{ID: w.waits(t, pane), Answer: "n"}, true},
		"server.try":   {TryParams{"/tmp/none"}, true},
	}
}

// TestAnAgentCantApproveItself: every method that types or answers refuses a caller that descends from a
// watched agent, here this test's own process. A new method must have an entry in access.
func TestAnAgentCantApproveItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	me, err := proc.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	w.set(func() {
		w.panes = []detect.Sighting{{Whereabouts: detect.Whereabouts{Pane: w.own, Process: me, Agent: "claude", Where: "main:0.0"}}, {Whereabouts: detect.Whereabouts{Pane: w.other, Agent: "claude"}}}
	})
	access := w.access(t, w.own)
	for method := range w.methods() {
		call, ok := access[method]
		if !ok {
			t.Errorf("%s: say in access whether an agent may call it", method)
			continue
		}
		if refused := w.refusedAsAgent(t, method, call.params); refused != call.forHumans {
			t.Errorf("%s: refused %t to an agent, want %t", method, refused, call.forHumans)
		}
	}
	if !w.refusedAsAgent(t, "nudge.reply", ReplyParams{ID: w.waits(t, w.other), Answer: "y"}) {
		t.Error("an agent answered for another pane, though no setting lets it")
	}
}

// TestAgentsMayAnswerForOthers if the settings say so, but only a question of another pane. A method that
// types, starts or changes something would let an agent answer for itself indirectly.
func TestAgentsMayAnswerForOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	me, err := proc.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	w.set(func() {
		w.panes = []detect.Sighting{{Whereabouts: detect.Whereabouts{Pane: w.own, Process: me, Agent: "claude"}}, {Whereabouts: detect.Whereabouts{Pane: w.other, Agent: "claude"}}}
	})
	w.set(func() { w.settings.AgentsMayAnswer = settings.AgentsOthers })
	for _, pane := range []detect.PaneRef{w.own, w.other} {
		for method, call := range w.access(t, pane) {
			want := call.forHumans && (method != "nudge.reply" || pane == w.own)
			if refused := call.forHumans && w.refusedAsAgent(t, method, call.params); refused != want {
				t.Errorf("%s for %s: refused %t, want %t", method, pane.ID, refused, want)
			}
		}
	}
	gone := proc.ID{PID: 1 << 30, Start: 7} // it asked, and its pane is no longer watched
	for name, c := range map[string]struct {
		place caller.Place
		pane  detect.PaneRef
		want  bool
	}{
		"another pane's agent":         {caller.Place{Kind: caller.Agent, Certain: true, Agents: []proc.ID{me}}, w.other, true},
		"the pane's own":               {caller.Place{Kind: caller.Agent, Certain: true, Agents: []proc.ID{me}}, w.own, false},
		"one of several, its own":      {caller.Place{Kind: caller.Agent, Certain: true, Agents: []proc.ID{{PID: 1}, me}}, w.own, false},
		"the one that asks":            {caller.Place{Kind: caller.Agent, Certain: true, Agents: []proc.ID{gone}}, w.other, false},
		"by its environment alone":     {caller.Place{Kind: caller.Agent, Agents: []proc.ID{me}}, w.other, false},
		"an agent that nobody knows":   {caller.Place{Kind: caller.Agent, Certain: true}, w.other, false},
		"nobody knows who, or how":     {caller.Place{Kind: caller.Unplaced, Certain: true, Agents: []proc.ID{me}}, w.other, false},
		"a person, who needs no grant": {caller.Place{Kind: caller.Human, Certain: true, Agents: []proc.ID{me}}, w.other, false},
	} {
		if w.isOther(c.place, c.pane, gone) != c.want {
			t.Errorf("%s is taken for another pane's agent: %t", name, !c.want)
		}
	}
}

func TestAHumanIsNotRefusedAsAnAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(func() {
		w.panes = []detect.Sighting{{Whereabouts: detect.Whereabouts{Pane: w.own, Process: proc.ID{PID: 1 << 30, Start: 1}, Agent: "claude"}}}
	})
	for method, call := range w.access(t, w.own) {
		if isRefusal(t, method, w.person(t, method, call.params, nil)) {
			t.Errorf("%s was refused", method)
		}
	}
}

// TestACallerWhoIsNotKnownIsRefused: the kernel does not name a process of another pid namespace.
func TestACallerWhoIsNotKnownIsRefused(t *testing.T) {
	if !testrun.Apart(t) { // it only waits, and for long
		return
	}
	w := newWorld(t)
	w.set(func() { w.settings.AgentsMayAnswer = settings.AgentsOthers })
	access := w.access(t, w.own)
	for method, answer := range w.methods() {
		call := access[method]
		text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": call.params})
		if err != nil {
			t.Fatal(err)
		}
		requests, err := jrpc2.ParseRequests(text)
		if err != nil {
			t.Fatal(err)
		}
		if !call.forHumans {
			continue
		}
		_, err = answer(t.Context(), requests[0].ToRequest())
		refusal := (*jrpc2.Error)(nil)
		if !errors.As(err, &refusal) || !strings.Contains(string(refusal.Data), string(deliver.CallerIsAgent)) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// TestABackupNamesNoFile: an agent in a sandbox, where it reaches the socket, can have nod write nowhere.
func TestABackupNamesNoFile(t *testing.T) {
	w := newWorld(t)
	state := t.TempDir()
	w.set(func() { w.settings.StateDir = settings.Path(state) })
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	stream := func(params any) (copied []byte, size int64) {
		err = w.client.Stream(t.Context(), "store.backup", params, func(line json.RawMessage) error {
			var part BackupPart
			err := json.Unmarshal(line, &part)
			copied, size = append(copied, part.Data...), part.Size
			return err
		})
		return copied, size
	}
	copied, size := stream(nil)
	if err != nil || size == 0 || int64(len(copied)) != size {
		t.Errorf("%d bytes of %d, %v", len(copied), size, err)
	}
	path := filepath.Join(t.TempDir(), "nod.db")
	if err := os.WriteFile(path, copied, 0o600); err != nil {
		t.Fatal(err)
	}
	whole, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.Close(); err != nil {
		t.Error(err)
	}
	if stream(map[string]string{"file": empty}); err == nil {
		t.Error("it was told a file")
	}
	if info, err := os.Stat(empty); err != nil || info.Size() > 0 {
		t.Errorf("it wrote %v, %v", info, err)
	}
	if left, err := os.ReadDir(state); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}

// TestNoAgentGetsACopyOfTheDatabase: it has what the socket shows nobody, such as the values of a monitor's environment, and the key that
// withdraws any program's question.
func TestNoAgentGetsACopyOfTheDatabase(t *testing.T) {
	w := newWorld(t)
	w.agent(t, true)
	got := 0
	err := w.client.Stream(t.Context(), "store.backup", nil, func(json.RawMessage) error { got++; return nil })
	if got > 0 || reasonOf(err) != deliver.CallerIsAgent {
		t.Errorf("it got %d parts, %v", got, err)
	}
	w.agent(t, false)
	if _, err := w.backup(t.Context(), none{}); !strings.Contains(dataOf(err), string(deliver.CallerIsAgent)) { // no process is known to ask for it
		t.Errorf("a caller who may be one: %v", err)
	}
}

func TestWatchTakesOnlyNames(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"", "off", "Claude", "a b", "#{pane_id}", strings.Repeat("a", 33)} {
		if err := w.client.Call(t.Context(), "pane.watch", WatchParams{w.own.ID, name}, nil); err == nil {
			t.Errorf("%q was taken for an agent's name", name)
		}
	}
}
