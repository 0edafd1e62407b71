package bot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	berrors "go.etcd.io/bbolt/errors"

	"nod/bot"
	"nod/bot/message"
	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
	"nod/nudge"
	"nod/nudge/keeper"
	"nod/store"
)

const (
	token = "700001:AAE-test-token-that-must-never-be-seen"
	ann   = int64(4242)
	bob   = int64(4343)
	eve   = int64(666) // no supervisor
)

// world is a whole nod but for tmux: the real keeper and database, the emulated Telegram over a pipe,
// and a typist that notes what it is asked to type.
type world struct {
	shared   func(nudge.SharedFile) ([]byte, error) // reads a file that is to be brought to the chat
	t        *testing.T
	tg       *botapi.Server
	ann      *botapi.Person
	keeper   *keeper.Keeper
	store    *store.Store
	bot      *bot.Bot
	typed    typist
	launched launched
	log      lockedBuffer
	wake     chan struct{}

	mu         sync.Mutex
	settings   bot.Settings
	panes      []detect.Sighting
	background []detect.Sighting
	screen     []string
	above      []string // what has left the screen
	slow       bool
	pins       bool          // NOD_PIN
	lossy      bool          // Telegram's answers get lost, so that calls come twice
	asleep     bool          // the machine: no tick comes
	full       bool          // the disk: nothing can be stored
	up         time.Duration // what the clock that nobody sets is ahead of the bubble's

	hostileID int

	path  string
	token string
	http  *http.Client
	end   func() // tells bot and keeper to end
	stop  func() // ends both and closes the database
}

// inWorld runs f with a running nod on fake time, in which Ann has pressed Start.
func inWorld(t *testing.T, f func(w *world)) {
	t.Helper()
	inWorldWith(t, botapi.Options{Token: token}, f)
}

func inWorldWith(t *testing.T, o botapi.Options, f func(w *world)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nod.db")
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, path: path, token: o.Token, tg: botapi.New(o)}
		w.settings = bot.Settings{Supervisors: []int64{ann}, Zone: time.UTC}
		client, hangUp := w.tg.Pipe()
		w.http = client
		w.ann = w.tg.Person(ann, "Ann")
		w.ann.Start()
		w.begin()
		defer func() {
			w.stop()
			hangUp()
			synctest.Wait()
			w.wantNoIdleEdits()
			w.wantNoServersClock()
			w.wantSaidOnce()
		}()
		time.Sleep(2 * time.Second)
		f(w)
	})
}

// wantNoIdleEdits fails where Telegram was asked for a change that changes nothing, such as to take the same buttons off twice.
func (w *world) wantNoIdleEdits() {
	for _, c := range w.tg.Calls("") {
		if !w.lossy && c.Err != nil && strings.Contains(c.Err.Error(), "message is not modified") {
			w.t.Errorf("%s changed nothing in message %s", c.Method, c.Params["message_id"])
		}
	}
}

var (
	// foreign is what a message shows of a screen or a command, and times that an app shows by its reader's own clock.
	foreign = regexp.MustCompile(`(?s)<(tg-time|pre|code|blockquote)[^>]*>.*?</(tg-time|pre|code|blockquote)>`)
	clocks  = regexp.MustCompile(`\b\d\d:\d\d(:\d\d)?(-| [A-Z]{3})?`)
)

// wantNoServersClock fails where a message or a toast says a time of day by the clock of the machine that nod runs on: its reader may
// have another. One that names its zone, or is a part of a span as /quiet takes it, is true for everybody.
func (w *world) wantNoServersClock() {
	for _, c := range w.tg.Calls("") {
		text := foreign.ReplaceAllString(c.Params["text"]+"\n"+c.Params["caption"], "")
		for _, at := range clocks.FindAllStringSubmatchIndex(text, -1) {
			if found := text[at[0]:at[1]]; at[4] < 0 && found != forgedClock && (at[0] == 0 || text[at[0]-1] != '-') {
				w.t.Errorf("%s says %s by the server's clock:\n%s", c.Method, found, text)
			}
		}
	}
}

// wantSaidOnce fails where a message or a toast says twice that nothing was typed.
func (w *world) wantSaidOnce() {
	for _, c := range w.tg.Calls("") {
		if text := foreign.ReplaceAllString(c.Params["text"], ""); strings.Count(text, "Nothing was typed") > 1 {
			w.t.Errorf("%s says twice that nothing was typed:\n%s", c.Method, text)
		}
	}
}

// begin starts nod on the database as it is.
func (w *world) begin() {
	w.t.Helper()
	db, err := store.Open(w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	w.store, w.wake = db, make(chan struct{}, 1)
	log := slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	start := time.Now()
	w.keeper = keeper.New(keeper.Config{
		Store: db, Typist: &w.typed, Log: log,
		Rules: func() nudge.Rules {
			cadence := []time.Duration{0, 5 * time.Minute, 15 * time.Minute, 45 * time.Minute, 2 * time.Hour, 4 * time.Hour}
			rules := nudge.Rules{Cadence: cadence, Expiry: 8 * time.Hour, Idle: true}
			w.mu.Lock()
			rules.Pin = w.pins
			w.mu.Unlock()
			for _, id := range w.now().Supervisors {
				rules.Supervisors = append(rules.Supervisors, message.Place(id))
			}
			for _, id := range w.now().Watchers {
				rules.Watchers = append(rules.Watchers, message.Place(id))
			}
			if chat := w.now().Chat; chat != 0 {
				rules.Chat = message.Place(chat)
			}
			return rules
		},
		Uptime:  func() time.Duration { w.mu.Lock(); defer w.mu.Unlock(); return w.up + time.Since(start) },
		Alive:   func(detect.Whereabouts) bool { return true },
		Changed: w.poke,
	})
	w.bot = bot.New(bot.Config{
		Token: w.token, API: "http://telegram.test", HTTP: w.http,
		Shared: func(f nudge.SharedFile) ([]byte, error) { return w.shared(f) },
		Launch: w.launched.launch, Files: filepath.Join(filepath.Dir(w.path), "files"),
		Keeper: w.keeper, Store: db, Settings: w.now, Log: log, Wake: w.wake,
		Background: func() []detect.Sighting { return w.background },
		Panes:      func() []detect.Sighting { w.mu.Lock(); defer w.mu.Unlock(); return w.panes },
		Screen: func(context.Context, detect.PaneRef) (detect.Capture, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			rows := screen.Parse(strings.Join(append(slices.Clone(w.above), w.screen...), "\n")).Rows
			return detect.Capture{Rows: rows, Above: len(w.above)}, nil
		},
	})
	w.look()
	ctx, cancel := context.WithCancel(context.Background())
	var parts sync.WaitGroup
	for _, run := range []func(context.Context) error{w.keeper.Run, w.bot.Run, w.tick} {
		parts.Go(func() {
			if err := run(ctx); err != nil && !errors.Is(err, context.Canceled) {
				w.t.Error(err)
			}
		})
	}
	w.end = cancel
	w.stop = func() {
		cancel()
		parts.Wait()
		if err := db.Close(); err != nil {
			w.t.Error(err)
		}
	}
}

// look is what nod does first: one look at every pane.
func (w *world) look() {
	w.t.Helper()
	w.mu.Lock()
	panes := slices.Clone(w.panes)
	w.mu.Unlock()
	for _, s := range panes {
		w.see(s)
	}
}

func (w *world) tick(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-time.After(w.pace()):
			if w.sleeps() {
				continue
			}
			if err := w.keeper.Tick(now); err != nil && !errors.Is(err, berrors.ErrDatabaseNotOpen) && !w.wasFull(err) {
				return err
			}
		}
	}
}

func (w *world) sleeps() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asleep
}

// pace is how often due reminders are looked for. Hours of fake time need not be looked at each second.
func (w *world) pace() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.slow {
		return time.Minute
	}
	return 3 * time.Second
}

// sleep is time.Sleep for minutes and hours in which nothing need happen to the second.
func (w *world) sleep(d time.Duration) {
	was := w.setSlow(true)
	time.Sleep(d)
	w.setSlow(was)
}

func (w *world) setSlow(slow bool) (was bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	was, w.slow = w.slow, slow
	return was
}

func (w *world) sleepHours(n int) {
	w.setSlow(true)
	time.Sleep(time.Duration(n) * time.Hour)
}

// restart is a new nod on the same database.
func (w *world) restart() {
	w.stop()
	w.begin()
	time.Sleep(2 * time.Second)
}

func (w *world) now() bot.Settings {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.settings
}

func (w *world) set(change func(*bot.Settings)) {
	w.mu.Lock()
	change(&w.settings)
	w.mu.Unlock()
	w.poke()
}

func (w *world) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// typist notes requests, and answers them with next, or with delivered.
type typist struct {
	mu       sync.Mutex
	requests []deliver.Request
	outcomes []deliver.Outcome // of the requests
	next     []deliver.Result
	takes    time.Duration // how long words take to be typed
}

func (t *typist) Type(ctx context.Context, r deliver.Request, begin func() error) deliver.Result {
	result, takes := t.take(r)
	if result.Outcome == deliver.Refused {
		return result
	}
	if err := begin(); err != nil {
		return deliver.Result{Outcome: deliver.Refused, Reason: deliver.Unreadable, Detail: reason.Why{Said: err.Error()}}
	}
	select {
	case <-time.After(takes):
		return result
	case <-ctx.Done():
		return deliver.Result{Outcome: deliver.Unknown, Reason: deliver.Unsure}
	}
}

// take notes a request, and tells how it ends and how long it takes.
func (t *typist) take(r deliver.Request) (deliver.Result, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests = append(t.requests, r)
	result := deliver.Result{Outcome: deliver.Delivered, Keys: []string{"1"}}
	if len(t.next) > 0 {
		result, t.next = t.next[0], t.next[1:]
	}
	t.outcomes = append(t.outcomes, result.Outcome)
	if told(r) == "" {
		return result, 0
	}
	return result, t.takes
}

func (t *typist) all() []deliver.Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.requests)
}

func (t *typist) then(r ...deliver.Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next = r
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var _ io.Writer = (*lockedBuffer)(nil)

// prompt is a permission with a plain yes and no.
func prompt(subject string) screen.Prompt {
	return screen.Prompt{
		Content: screen.Content{
			Agent: "claude", Shape: "claude.tool_confirmation", Question: "Do you want to proceed?", Subject: subject,
			Options: []screen.Option{
				{Key: "1", Label: "Yes", Scope: screen.Once},
				{Key: "2", Label: "Yes, and don't ask again", Scope: screen.Always},
				{Key: "3", Label: "No", Scope: screen.No},
			},
		},
		OnScreen:    screen.OnScreen{Highlighted: 0},
		Ways:        screen.Ways{Approve: []string{"1"}, Deny: []string{"3"}},
		Fingerprint: "f:" + subject,
	}
}

// sighting is one look at pane number n.
func sighting(n int, state screen.State, p *screen.Prompt) detect.Sighting {
	s := detect.Sighting{
		Whereabouts: detect.Whereabouts{Pane: detect.PaneRef{Server: tmux.Life{Socket: "/tmp/tmux", PID: 7, Start: 8}, ID: fmt.Sprintf("%%%d", n)}, Process: proc.ID{PID: 100 + n, Start: 1}, Agent: "claude", Project: fmt.Sprintf("api%d", n), Where: fmt.Sprintf("main:%d.0", n)},
		State:       state, Since: time.Now(), Prompt: p, At: time.Now(), By: "poll",
	}
	if p != nil {
		s.Tail = []string{"  " + strings.ReplaceAll(p.Subject, "\n", " "), "", "Do you want to proceed?", "❯ 1. Yes", "  2. Yes, and don't ask again", "  3. No"}
	}
	return s
}

// ask lets the agent in pane n ask, and gives the message that Ann gets.
func (w *world) ask(n int, p screen.Prompt) botapi.Record {
	w.t.Helper()
	before := len(w.botSaid())
	w.see(sighting(n, screen.Permission, &p))
	time.Sleep(3 * time.Second)
	said := w.botSaid()
	if len(said) <= before {
		w.t.Fatalf("no message for %q came", p.Subject)
	}
	return said[len(said)-1]
}

func (w *world) see(s detect.Sighting) {
	w.t.Helper()
	if err := w.keeper.See(s); err != nil && !w.wasFull(err) {
		w.t.Fatal(err)
	}
}

// wasFull reports whether an error is of the full disk that a test plays.
func (w *world) wasFull(err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.full && strings.Contains(err.Error(), "is full")
}

// leave is what the watcher sees when the prompt is gone.
func (w *world) leave(n int) {
	w.see(sighting(n, screen.Working, nil))
	w.see(sighting(n, screen.Working, nil))
	time.Sleep(3 * time.Second)
}
