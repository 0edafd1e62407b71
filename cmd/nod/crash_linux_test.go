package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/internal/actor"
	"nod/internal/botapi"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun/breakpoint"
)

func init() {
	programs["watched"] = func() {
		fmt.Fprintln(os.Stderr, breakpoint.Exec(os.Args[1:]))
		os.Exit(1)
	}
}

// crash is one life of a question in its own world: a real nod, tmux and agent, with an emulated Telegram.
// nod is killed at one point and started again, and then a person goes on until the question is over.
type crash struct {
	t        *testing.T
	way      *way
	dir      string
	telegram *botapi.Server
	api      *httptest.Server
	ann      *botapi.Person
	tmux     *tmuxtest.Server
	pane     string
	env      []string
	log      *os.File

	bot   *exec.Cmd
	ended chan struct{}

	mu      sync.Mutex
	kind    string // of the point at which nod is killed; empty for none
	number  int    // index among the points of that kind
	seen    map[string]int
	killed  bool
	did     map[string]time.Time // the person's actions, with their last time
	program *exec.Cmd            // nod ask
	answer  chan error
	printed bytes.Buffer

	// For TestEverybodyAnswersAtOnce: who is asked, who answers each prompt, and how long each waits first.
	people  []*botapi.Person
	answers [][]int
	waits   []time.Duration
}

const crashToken = "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc"

// crashTime is the time limit of a life, which takes three seconds; a busy machine runs many at once.
const crashTime = 4 * time.Minute

func newCrash(t *testing.T, w *way, kind string, number int) *crash {
	dir, err := os.MkdirTemp("", "nodcrash") // not t.TempDir: a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	c := &crash{
		t: t, way: w, dir: dir, kind: kind, number: number, seen: map[string]int{}, did: map[string]time.Time{},
		telegram: botapi.New(botapi.Options{Token: crashToken}),
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	c.ann = c.telegram.Person(1, "Ann")
	c.ann.Start()
	c.api = httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(c.api.Close)
	t.Cleanup(c.api.CloseClientConnections)
	c.tmux = tmuxtest.New(t)
	c.env = append(actor.Environment(),
		"HOME="+dir, "XDG_RUNTIME_DIR="+dir, "XDG_CONFIG_HOME="+dir, "GORACE="+quickExit, "NOD_STATE_DIR="+dir, "NOD_SOCKET="+c.socket(),
		"NOD_TELEGRAM_TOKEN="+crashToken, "NOD_TELEGRAM_API="+c.api.URL, "NOD_SUPERVISORS=1", "NOD_TMUX_SOCKET="+c.tmux.Socket,
		"NOD_POLL_INTERVAL=200ms", "NOD_GRACE=0s", "NOD_PRESENCE=0s", "NOD_IDLE=off", "NOD_LOG_LEVEL=debug",
	)
	c.env = append(c.env, w.env...)
	if c.log, err = os.Create(filepath.Join(dir, "log")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.log.Close() })
	return c
}

func (c *crash) socket() string { return filepath.Join(c.dir, "nod.sock") }

func (c *crash) path(name string) string { return filepath.Join(c.dir, name) }

// live runs the life, and returns what went wrong.
func (c *crash) live() error {
	c.way.begin(c)
	if err := c.run(true); err != nil {
		return err
	}
	defer c.kill()
	over := time.Time{}
	for end := time.Now().Add(crashTime); time.Now().Before(end); time.Sleep(25 * time.Millisecond) {
		select {
		case <-c.ended:
			if !c.wasKilled() {
				return errors.New("nod ended by itself")
			}
			if err := c.run(false); err != nil {
				return err
			}
		default:
		}
		switch done := c.way.act(c); {
		case !done:
			over = time.Time{}
		case over.IsZero():
			over = time.Now()
		case c.truth() == nil:
			return c.way.check(c)
		case time.Since(over) > 20*time.Second:
			return c.truth()
		}
	}
	return errors.New("the way never came to its end")
}

// truth returns false statements of the chat: once all is over, no message may offer an answer. nod can't
// know a message that was sent but not recorded; a tap on it types nothing and removes its buttons.
func (c *crash) truth() error {
	offers := c.offers()
	if len(offers) == 0 {
		return nil
	}
	m := offers[0]
	if c.wasKilled() && c.once(fmt.Sprint("stale ", m.ID), time.Hour) {
		for _, row := range m.Markup.Rows {
			if _, err := c.ann.Tap(m.ID, row[0].Data); err == nil {
				break
			}
		}
	}
	return fmt.Errorf("message %d still offers an answer: %s", m.ID, m.Text)
}

func (c *crash) run(first bool) error {
	args := []string{"nod", "run"}
	if first && c.kind != "" {
		args = append([]string{"watched"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Stderr = c.env, c.log
	start := cmd.Start
	if first && c.kind != "" {
		start = func() error { return breakpoint.Start(cmd, c.point) }
	}
	c.mu.Lock()
	c.bot = cmd
	c.mu.Unlock()
	if err := start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	c.ended = ended
	go func() { _ = cmd.Wait(); close(ended) }()
	return nil
}

func (c *crash) kill() {
	_ = c.bot.Process.Kill()
	<-c.ended
	if c.program != nil {
		_ = c.program.Process.Kill()
	}
}

func (c *crash) wasKilled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.killed
}

// point is called at each point of the first life. Of the tmux processes that start, every second one is
// never run, and the others run after nod is gone.
func (c *crash) point(p breakpoint.Point) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[p.Kind]++
	if c.killed || p.Kind != c.kind || c.seen[p.Kind] != c.number {
		return
	}
	c.killed = true
	if process, err := os.FindProcess(p.Child); err == nil && p.Child > 0 && c.number%2 == 0 && strings.HasSuffix(p.Kind, "begins") {
		_ = process.Kill()
	}
	_ = c.bot.Process.Kill()
}

// serve is Telegram, with a point after it has carried out a request and before it answers.
func (c *crash) serve(w http.ResponseWriter, r *http.Request) {
	c.telegram.ServeHTTP(&answering{ResponseWriter: w, c: c, method: r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]}, r)
}

type answering struct {
	http.ResponseWriter
	c      *crash
	method string
	begun  bool
}

func (a *answering) Write(p []byte) (int, error) {
	if !a.begun {
		a.begun = true
		before := a.c.wasKilled()
		if a.c.point(breakpoint.Point{Kind: "telegram did " + a.method}); !before && a.c.wasKilled() {
			panic(http.ErrAbortHandler)
		}
	}
	return a.ResponseWriter.Write(p)
}

// The actions of the person and the agent.

// once reports whether an action was not done for some time, and records it as done now.
func (c *crash) once(what string, again time.Duration) bool {
	if at, ok := c.did[what]; ok && time.Since(at) < again {
		return false
	}
	c.did[what] = time.Now()
	return true
}

// offers returns nod's messages with buttons, newest first.
func (c *crash) offers() (all []botapi.Record) {
	for _, m := range c.ann.Messages() {
		if m.From.IsBot && m.Markup != nil && len(m.Markup.Rows) > 0 && !m.Deleted {
			all = append(all, m)
		}
	}
	slices.Reverse(all)
	return all
}

// offer returns the newest message with buttons that contains a text.
func (c *crash) offer(text string) (botapi.Record, bool) {
	for _, m := range c.offers() {
		if strings.Contains(m.Text, text) {
			return m, true
		}
	}
	return botapi.Record{}, false
}

// patience is how long the person waits before repeating an answer.
const patience = 8 * time.Second

// tap taps the button of the newest message that contains a text.
func (c *crash) tap(text, button string) bool {
	m, ok := c.offer(text)
	if !ok {
		return false
	}
	if _, ok := m.Button(button); ok && c.once(fmt.Sprint(m.ID, button), patience) {
		_, _ = c.ann.Tap(m.ID, button)
	}
	return true
}

// play starts an agent with steps.
func (c *crash) play(steps ...actor.Step) {
	script := actor.Script{Agent: "claude", Dir: c.path("api"), Log: c.path("agent"), Steps: steps}
	if err := os.MkdirAll(script.Dir, 0o700); err != nil {
		c.t.Fatal(err)
	}
	writeJSON(c.t, c.path("script.json"), script)
	agent, err := exec.LookPath("claude")
	if err != nil {
		c.t.Fatal(err)
	}
	c.pane = c.tmux.Pane("cd "+script.Dir+" && exec "+agent+" "+c.path("script.json"), 100, 30)
}

func (c *crash) events() []actor.Event {
	all, err := actor.ReadLog(c.path("agent"))
	if err != nil {
		c.t.Error(err)
	}
	return all
}

// was returns how often the agent recorded an event of a kind about a command.
func (c *crash) was(kind, command string) (n int) {
	for _, e := range c.events() {
		if e.Kind == kind && strings.Contains(e.Command+e.Text, command) {
			n++
		}
	}
	return n
}

// keys says which keys arrived for which command: "touch a:1 touch b:4".
func (c *crash) keys() string {
	var all []string
	about := "nothing"
	for _, e := range c.events() {
		switch e.Kind {
		case "asks":
			about = e.Command
		case "ran", "denied", "answered":
			about = "nothing"
		case "key":
			all = append(all, about+":"+e.Key)
		}
	}
	return strings.Join(all, " ")
}

// typed reports whether exactly these keys arrived.
func (c *crash) typed(want string) error {
	if got := c.keys(); got != want {
		return fmt.Errorf("typed %q, want %q", got, want)
	}
	return nil
}

// up reports whether nod listens at its socket.
func (c *crash) up() bool {
	conn, err := net.Dial("unix", c.socket())
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// story returns the details for a failure: the chat, the keys and the end of nod's log.
func (c *crash) story() string {
	var b strings.Builder
	for _, m := range c.ann.Messages() {
		fmt.Fprintf(&b, "%d %s (deleted %t, buttons %t): %s\n", m.ID, m.From.FirstName, m.Deleted, m.Markup != nil, strings.ReplaceAll(m.Text, "\n", " / "))
	}
	fmt.Fprintf(&b, "keys: %s\n", c.keys())
	if c.pane != "" {
		fmt.Fprintf(&b, "the pane:\n%s\n", c.tmux.Screen(c.pane))
	}
	if log, err := os.Open(c.path("log")); err == nil {
		defer log.Close()
		text, _ := io.ReadAll(log)
		lines := strings.Split(string(text), "\n")
		fmt.Fprintf(&b, "nod's log:\n%s\n", strings.Join(lines[max(0, len(lines)-60):], "\n"))
	}
	return b.String()
}
