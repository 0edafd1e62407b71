//go:build agents

package agentrig

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"nod/internal/botapi"
	"nod/store"
)

// bot is nod's own program, running as it does for people: `nod run` on the agent's tmux server, with
// settings from its environment and a Telegram on loopback.
type bot struct {
	t       testing.TB
	program string
	env     []string
	state   string // its folder
	owner   *botapi.Person
	log     *lockedBuffer
	ended   chan struct{} // closed when nod ends
	stop    func()        // ends it, and waits for that
	kill    func()        // ends it as a crash would
}

// buildNod builds the program once for all agents.
func buildNod(t testing.TB) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "nod")
	if out, err := exec.Command("go", "build", "-o", program, "nod/cmd/nod").CombinedOutput(); err != nil {
		t.Fatalf("build nod: %v\n%s", err, out)
	}
	return program
}

// startBot runs program until the test ends, with these settings beside those that every run has. It
// listens where the agent's hooks look for it.
func startBot(t testing.TB, program string, r *Run, settings ...string) *bot {
	t.Helper()
	const token = "123456789:this_is_nobodys_token_on_loopback"
	telegram := botapi.New(botapi.Options{Token: token})
	server := httptest.NewServer(telegram)
	t.Cleanup(server.Close)
	owner := telegram.Person(42, "Ann")
	owner.Start()

	dir, err := os.MkdirTemp("", "nodrun")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	b := &bot{t: t, program: program, state: filepath.Join(dir, "state"), owner: owner, log: &lockedBuffer{}, env: []string{
		"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
		"NOD_TELEGRAM_TOKEN=" + token, "NOD_TELEGRAM_API=" + server.URL, "NOD_SUPERVISORS=42",
		"NOD_TMUX_SOCKET=" + r.Tmux.Socket, "NOD_STATE_DIR=" + filepath.Join(dir, "state"), "XDG_RUNTIME_DIR=" + r.Runtime,
		"NOD_POLL_INTERVAL=500ms", "NOD_PRESENCE=0s", "NOD_GRACE=0s",
	}}
	b.env = append(b.env, settings...)
	b.start()
	t.Cleanup(func() {
		b.stop()
		if t.Failed() {
			t.Logf("nod's log:\n%s", b.log)
		}
	})
	return b
}

func (b *bot) start() {
	b.t.Helper()
	run := b.command("run")
	run.Stdout, run.Stderr = b.log, b.log
	must(b.t, run.Start())
	ended := make(chan struct{})
	var failed error
	go func() {
		failed = run.Wait()
		close(ended)
	}()
	b.ended = ended
	b.stop = func() {
		_ = run.Process.Signal(syscall.SIGTERM) // it may have ended by itself
		<-ended
		if failed != nil {
			b.t.Errorf("nod run: %v", failed)
		}
	}
	b.kill = func() {
		_ = run.Process.Kill()
		<-ended
		failed = nil
	}
}

// restart ends nod and starts the next one on the same state.
func (b *bot) restart() {
	b.t.Helper()
	b.stop()
	b.start()
	b.listens()
}

// ages has it find, when it starts again, that so much time has passed since calls were denied and allowed.
func (b *bot) ages(by time.Duration) {
	b.t.Helper()
	b.stop()
	state, err := store.Open(filepath.Join(b.state, "nod.db"))
	must(b.t, err)
	must(b.t, state.Update(func(tx *store.Tx) error {
		for _, d := range tx.Denials() {
			d.Shift(-by)
			tx.PutDenials(d)
		}
		return nil
	}))
	must(b.t, state.Close())
	b.start()
	b.listens()
}

func (b *bot) command(args ...string) *exec.Cmd {
	cmd := exec.Command(b.program, args...)
	cmd.Env = b.env
	return cmd
}

// person is a command at a terminal of a person's own.
func (b *bot) person(args ...string) *exec.Cmd {
	b.t.Helper()
	cmd := b.command(args...)
	atTerminal(b.t, cmd)
	return cmd
}

// sight is a prompt as nod tells it: a line of `nod queue --json`.
type sight struct {
	ID      string
	Pane    string
	Kind    string
	Shape   string
	Subject string
}

// checked is what `nod check --json` says of the same pane.
type checked struct {
	State    string
	Shape    string
	Question string
	Subject  string
	Partial  bool
	Options  []option
	Approve  []string
	Deny     []string
}

// option is one of a prompt's answers.
type option struct{ Label, Scope string }

// see waits until nod nudges for the pane of r, and not for what it nudged before.
func (b *bot) see(r *Run, before sight) sight {
	b.t.Helper()
	for end := time.Now().Add(Patience); time.Now().Before(end) && b.runs(); time.Sleep(200 * time.Millisecond) {
		for _, s := range b.queue() {
			if s.Pane == r.Pane && s.ID != before.ID {
				return s
			}
		}
	}
	c, out := b.check(r)
	keepMiss(r)
	r.Fatalf("nod never nudged; it checks %+v: %s\nnod's log:\n%s", c, out, b.log)
	return sight{}
}

// runs reports whether nod has not ended by itself.
func (b *bot) runs() bool {
	select {
	case <-b.ended:
		return false
	default:
		return true
	}
}

// queue is the prompts that wait; that an agent is done, or still, is none.
func (b *bot) queue() []sight {
	out, err := b.command("queue", "--json").Output()
	var list []sight
	if err != nil || json.Unmarshal(out, &list) != nil {
		return nil // nod is still starting
	}
	return slices.DeleteFunc(list, func(s sight) bool { return s.Kind != "permission" && s.Kind != "question" })
}

func (b *bot) check(r *Run) (checked, string) {
	b.t.Helper()
	out, err := b.command("check", r.Pane, "--json").CombinedOutput()
	var c checked
	if err == nil {
		err = json.Unmarshal(out, &c)
	}
	if err != nil {
		b.t.Errorf("nod check: %v: %s", err, out)
	}
	return c, string(out)
}

// reply answers a nudge, and reports whether nod says that the answer landed.
func (b *bot) reply(s sight, words ...string) (landed bool, said string) {
	b.t.Helper()
	out, err := b.person(append([]string{"reply", s.ID}, words...)...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		b.t.Errorf("nod reply: %v: %s", err, out)
	}
	return err == nil, strings.TrimSpace(string(out))
}

// told waits until the owner's phone shows the nudge.
func (b *bot) told(s sight) {
	b.t.Helper()
	_, err := b.owner.Await(b.t.Context(), func(m botapi.Record) bool { return strings.Contains(m.Text, "#"+s.ID) })
	must(b.t, err)
}

// keepMiss writes the screen into the folder $NOD_MISSES, if that is set, so that a test can be made of it.
func keepMiss(r *Run) {
	dir := os.Getenv("NOD_MISSES")
	if dir == "" {
		return
	}
	name := filepath.Join(dir, strings.NewReplacer("/", "-", "TestAgents-", "").Replace(r.t.Name()))
	must(r.t, os.MkdirAll(dir, 0o755))
	must(r.t, os.WriteFile(name+".txt", []byte(r.Screen()+"\n"), 0o644))
	must(r.t, os.WriteFile(name+".ansi", []byte(r.Tmux.Run("capture-pane", "-p", "-e", "-t", r.Pane)+"\n"), 0o644))
}

// lockedBuffer is written by a running program and read by the test.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
