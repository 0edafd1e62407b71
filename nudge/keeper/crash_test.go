package keeper_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/testrun"
	"nod/nudge"
	"nod/nudge/keeper"
	"nod/store"
)

// The crash test runs itself as a child. The child lives the whole loop on a real file, prints what it has
// promised, and is killed at a random moment.
const crashDir = "NOD_TEST_CRASH_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		if err := loop(dir); err != nil {
			fmt.Println("failed", err)
		}
		os.Exit(1)
	}
	os.Exit(testrun.InMemory(m))
}

// keyboard writes each nudge that it types for into a file at once, as a real pane would show it.
type keyboard struct{ file *os.File }

func (k keyboard) Type(_ context.Context, r deliver.Request, begin func() error) deliver.Result {
	if err := begin(); err != nil {
		return deliver.Result{Outcome: deliver.Refused, Reason: deliver.Unreadable}
	}
	fmt.Fprintln(k.file, r.Nudge)
	return deliver.Result{Outcome: deliver.Delivered, Keys: []string{"1"}}
}

const chat nudge.Place = "7"

func newKeeper(s *store.Store, typist keeper.Typist) *keeper.Keeper {
	rules := nudge.Rules{Cadence: []time.Duration{0, time.Minute}, Expiry: time.Hour, Supervisors: []nudge.Place{chat}}
	began := time.Now()
	return keeper.New(keeper.Config{
		Store: s, Typist: typist, Rules: func() nudge.Rules { return rules }, Log: slog.New(slog.DiscardHandler),
		Uptime: func() time.Duration { return time.Since(began) }, Alive: func(detect.Whereabouts) bool { return true }, Changed: func() {},
	})
}

// loop opens, tells and answers nudges without end. Each line that it prints is on disk.
func loop(dir string) error {
	s, err := store.Open(filepath.Join(dir, "nod.db"))
	if err != nil {
		return err
	}
	keys, err := os.OpenFile(filepath.Join(dir, "keys"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	k := newKeeper(s, keyboard{keys})
	go k.Run(context.Background())
	message := int(time.Now().UnixMicro()) // higher in every life
	for i := 0; ; i++ {
		if err := turn(k, fmt.Sprintf("%%%d", i%5), &message); err != nil {
			return err
		}
	}
}

// turn plays one nudge up to its answer.
func turn(k *keeper.Keeper, pane string, message *int) error {
	*message++
	prompt := &screen.Prompt{Ways: screen.Ways{Approve: []string{"1"}, Deny: []string{"2"}}, Fingerprint: fmt.Sprint(*message)}
	err := k.See(detect.Sighting{
		Whereabouts: detect.Whereabouts{Pane: detect.PaneRef{ID: pane}, Process: proc.ID{PID: 1}}, State: screen.Permission, Prompt: prompt, At: time.Now(),
	})
	if err != nil {
		return err
	}
	notices, err := k.ToTell(time.Now())
	if err != nil {
		return err
	}
	for _, n := range notices {
		*message++
		if err := k.Told(nudge.Receipt{Notice: n, Message: *message, Sent: time.Now()}); err != nil {
			return err
		}
		if n.Kind != nudge.Send {
			continue
		}
		fmt.Println("told", n.Nudge().ID, *message)
		a := nudge.Answer{
			ReplyTo: *message, Said: nudge.Said{Decision: screen.Approve}, Way: nudge.ByReply, By: nudge.Person{ID: chat},
			Ref: nudge.Ref{Place: chat, Message: *message + 1, Update: *message + 1}, Written: time.Now(), Read: time.Now(),
		}
		*message++
		v, err := k.Answer(a)
		if err != nil {
			return err
		}
		fmt.Println("answered", n.Nudge().ID, a.Update, v.Kind)
	}
	return nil
}

func TestKilledAtAnyMoment(t *testing.T) {
	dir := t.TempDir()
	promised := &promises{told: map[string]string{}, taken: map[string]string{}, nudgeOf: map[string]string{}}
	for range 12 {
		promised.add(t, killedChild(t, dir))
		promised.check(t, dir)
	}
	if len(promised.taken) < 12 {
		t.Errorf("only %d answers in twelve lives", len(promised.taken))
	}
}

// killedChild runs the loop, kills it and returns its output.
func killedChild(t *testing.T, dir string) string {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	lines := bufio.NewReader(out)
	for range 1 + rand.IntN(60) { // counted in lines, however slow the machine is
		line, err := lines.ReadString('\n')
		if err != nil || strings.HasPrefix(line, "failed") {
			t.Fatalf("the child said %q, %v", line, err)
		}
		said.WriteString(line)
	}
	timer := time.AfterFunc(rand.N(3*time.Millisecond), func() { child.Process.Kill() }) // at any moment of the next line
	defer timer.Stop()
	io.Copy(&said, lines)
	child.Wait()
	return said.String()
}

// promises are the lines of all lives so far.
type promises struct {
	told    map[string]string // message -> nudge
	taken   map[string]string // update -> nudge
	nudgeOf map[string]string // nudge -> the update that it was claimed by
}

func (p *promises) add(t *testing.T, said string) {
	t.Helper()
	for line := range strings.Lines(said) {
		if !strings.HasSuffix(line, "\n") {
			continue // cut off by the kill
		}
		f := strings.Fields(line)
		switch f[0] {
		case "told":
			p.told[f[2]] = f[1]
		case "answered":
			if f[3] != string(nudge.Taken) {
				t.Errorf("an answer to a nudge that nobody else answers is %s", f[3])
			}
			if other, ok := p.nudgeOf[f[1]]; ok {
				t.Errorf("nudge %s was claimed by update %s and by %s", f[1], other, f[2])
			}
			p.taken[f[2]], p.nudgeOf[f[1]] = f[1], f[2]
		default:
			t.Fatalf("the child said %q", line)
		}
	}
}

// check opens what the kill left behind: all that was promised is there, and no key came twice.
func (p *promises) check(t *testing.T, dir string) {
	t.Helper()
	s, err := store.Open(filepath.Join(dir, "nod.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	for message, id := range p.told {
		var m int
		fmt.Sscan(message, &m)
		s.View(func(tx *store.Tx) error {
			if n := tx.ByMessage(nudge.Ref{Place: chat, Message: m}); n == nil || n.ID != id {
				t.Errorf("message %d no longer shows nudge %s", m, id)
			}
			return nil
		})
	}
	for update, id := range p.taken {
		var u int
		fmt.Sscan(update, &u)
		if handled, err := s.Memory().Handled(u); err != nil || !handled {
			t.Errorf("update %d, which answered %s, is not remembered: %v", u, id, err)
		}
		p.checkClaim(t, s, id, u)
	}
	keys, err := os.ReadFile(filepath.Join(dir, "keys"))
	if err != nil {
		t.Fatal(err)
	}
	typed := map[string]bool{}
	for _, id := range strings.Fields(string(keys)) {
		if typed[id] {
			t.Errorf("the key for %s was typed twice", id)
		}
		typed[id] = true
	}
}

// checkClaim checks that the nudge is still answered by that update, whatever the answer's outcome.
func (p *promises) checkClaim(t *testing.T, s *store.Store, id string, update int) {
	t.Helper()
	s.View(func(tx *store.Tx) error {
		n := tx.Nudge(id)
		if n == nil || n.State == nudge.Pending || n.Claim == nil || n.Claim.Update != update {
			t.Errorf("nudge %s, answered by update %d: %+v", id, update, n)
		}
		return nil
	})
}
