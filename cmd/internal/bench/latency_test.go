package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/internal/botapi"
	"nod/internal/host/tmux/tmuxtest"
)

// order is what the program in a pane is told to do, and answer what it says of that.
type order struct {
	Show string // a screen
	Hook string // an event, for `nod hook claude`
}

type answer struct {
	Drawn, Key time.Time // the one that happened
}

// TestMain is the program in the pane too, under its name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "claude" {
		if err := playAgent(os.Args[1], os.Args[2]); err != nil {
			fmt.Println(err)
			time.Sleep(tmuxtest.Patience)
		}
		return
	}
	os.Exit(m.Run())
}

// playAgent does what it is ordered by the socket, and says when a key comes.
func playAgent(socket, nod string) error {
	stty := exec.Command("stty", "-echo", "-icanon")
	stty.Stdin = os.Stdin
	if err := stty.Run(); err != nil {
		return err
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	say := func(a answer) {
		mu.Lock()
		defer mu.Unlock()
		_ = json.NewEncoder(conn).Encode(a)
	}
	go func() {
		for keys := make([]byte, 64); ; {
			if _, err := os.Stdin.Read(keys); err != nil {
				return
			}
			say(answer{Key: time.Now()})
		}
	}()
	var hook *exec.Cmd
	for orders := json.NewDecoder(bufio.NewReader(conn)); ; {
		var o order
		if err := orders.Decode(&o); err != nil {
			return err
		}
		if o.Hook != "" {
			if hook != nil { // it waits for a decision on a dialog that is gone
				_ = hook.Process.Kill()
				_ = hook.Wait()
			}
			hook = exec.Command(nod, "hook", "claude")
			hook.Stdin = strings.NewReader(o.Hook)
			if err := hook.Start(); err != nil {
				return err
			}
			continue
		}
		at := time.Now()
		fmt.Print(o.Show)
		say(answer{Drawn: at})
	}
}

// agent is a pane of a rig whose program takes orders.
type agent struct {
	*rig
	b       *testing.B
	pane    string
	orders  *json.Encoder
	answers *json.Decoder
	idle    string
	dialog  string
}

func newAgent(b *testing.B, name string) *agent {
	b.Helper()
	r := newRig(b)
	named := filepath.Join(r.home, "claude")
	if err := os.Symlink(must[string](b)(os.Executable()), named); err != nil {
		b.Fatal(err)
	}
	socket := filepath.Join(r.home, "agent.sock")
	listener := must[net.Listener](b)(net.Listen("unix", socket))
	defer listener.Close()
	env := strings.Join(r.env, "' '")
	a := &agent{rig: r, b: b, idle: recorded(b, "idle"), dialog: recorded(b, name)}
	a.pane = r.Pane(fmt.Sprintf("exec env '%s' '%s' '%s' '%s'", env, named, socket, *program), 120, 40)
	conn := must[net.Conn](b)(listener.Accept())
	b.Cleanup(func() { _ = conn.Close() })
	a.orders, a.answers = json.NewEncoder(conn), json.NewDecoder(conn)
	a.show(a.idle)
	r.start(b)
	return a
}

func (a *agent) order(o order) {
	if err := a.orders.Encode(o); err != nil {
		a.b.Error(err)
	}
}

// show has a screen drawn, and returns when that began.
func (a *agent) show(screen string) time.Time {
	a.order(order{Show: screen})
	return a.next(func(got answer) time.Time { return got.Drawn })
}

// next is when that happened next in the pane.
func (a *agent) next(what func(answer) time.Time) time.Time {
	for {
		var got answer
		if err := a.answers.Decode(&got); err != nil {
			a.b.Error(err)
			return time.Now()
		}
		if at := what(got); !at.IsZero() {
			return at
		}
	}
}

// asked draws a dialog and returns when, and the message that reports it.
func (a *agent) asked(command string) (time.Time, botapi.Record, error) {
	drawn := a.show(strings.ReplaceAll(a.dialog, "touch rig-bash-ran && rm -rf build", command))
	waiting, done := context.WithTimeout(context.Background(), 2*tmuxtest.Patience)
	defer done()
	m, err := a.ann.Await(waiting, func(m botapi.Record) bool { return strings.Contains(m.Text, ": "+command+"\n") })
	return drawn, m, err
}

// took are the latencies of all agents.
type took struct {
	mu              sync.Mutex
	poll, hook, key []time.Duration
}

// latency asks some agents in turns at once, each with a nod and a Telegram of its own: a chat takes a message a second.
func latency(b *testing.B) map[string]float64 {
	const atOnce = 4
	var t took
	for _, hook := range []bool{false, true} {
		var all sync.WaitGroup
		var agents []*agent
		for range atOnce {
			agents = append(agents, newAgent(b, "bash"))
		}
		for _, a := range agents {
			all.Go(func() { a.turns(short(25), hook, &t) })
		}
		all.Wait()
		for _, a := range agents {
			a.stop()
		}
	}
	values := map[string]float64{"key-reads": reads.Seconds()}
	for name, took := range map[string][]time.Duration{"poll": t.poll, "hook": t.hook, "key": t.key} {
		if len(took) == 0 {
			b.Fatalf("nothing of %s was measured", name)
		}
		values[name+"-count"] = float64(len(took))
		values[name+"-p50"], values[name+"-p99"] = percentile(took, 50), percentile(took, 99)
	}
	return values
}

// reads is how long a person takes to read a message, at least. Before a key the dialog must have stood for 0.15 s (deliver), of which tmux
// tells whole seconds: an answer in the second in which the dialog was drawn waits for the rest of that.
const reads = 1500 * time.Millisecond

// turns asks so often, at any time between two polls, with an event of the hook before it or with a reply to it.
func (a *agent) turns(n int, hook bool, t *took) {
	for i := range n {
		command := fmt.Sprintf("touch prompt-%d.txt", i)
		time.Sleep(1500*time.Millisecond + rand.N(time.Second))
		if hook {
			a.order(order{Hook: fmt.Sprintf(`{"hook_event_name":"PermissionRequest","session_id":"s","tool_name":"Bash","tool_input":{"command":%q}}`, command)})
			// Claude Code draws its dialog 0.06 to 0.27 s after the event.
			time.Sleep(60*time.Millisecond + rand.N(210*time.Millisecond))
		}
		drawn, m, err := a.asked(command)
		sent := time.Since(drawn)
		if err != nil {
			a.b.Errorf("dialog %d was never told: %v\n%s", i, err, a.Screen(a.pane))
			return
		}
		var key time.Duration
		if !hook {
			time.Sleep(reads)
			said := time.Now()
			a.ann.ReplyTo(m.ID, "y")
			key = a.next(func(got answer) time.Time { return got.Key }).Sub(said)
		}
		a.show(a.idle)
		t.mu.Lock()
		if hook {
			t.hook = append(t.hook, sent)
		} else {
			t.poll, t.key = append(t.poll, sent), append(t.key, key)
		}
		t.mu.Unlock()
	}
}
