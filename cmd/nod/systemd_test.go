//go:build systemd

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/internal/botapi"
)

// These tests run nod as an ordinary user's service under a real systemd, which .ci/systemd boots: `make
// test-systemd`.

func init() {
	programs["nod-stalls"] = stallingNod
	programs["telegram"] = playTelegram
}

const goodToken = "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc"

// playTelegram serves a Bot API with one token, and a person who has pressed Start.
func playTelegram() {
	server := botapi.New(botapi.Options{Token: os.Args[1]})
	server.Person(1, "Ann").Start()
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:8099", server))
	os.Exit(1)
}

// stallingNod is a nod whose connection to Telegram, and so its poll loop, hangs from SIGUSR1 on, whatever
// its deadlines.
func stallingNod() {
	stall := make(chan os.Signal, 1)
	signal.Notify(stall, syscall.SIGUSR1)
	network := &stallingNetwork{RoundTripper: http.DefaultTransport, stalled: make(chan struct{})}
	http.DefaultTransport = network
	go func() {
		<-stall
		close(network.stalled)
	}()
	main()
}

type stallingNetwork struct {
	http.RoundTripper
	stalled chan struct{}
}

func (n *stallingNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	type answer struct {
		response *http.Response
		err      error
	}
	got := make(chan answer, 1)
	go func() {
		response, err := n.RoundTripper.RoundTrip(r)
		got <- answer{response, err}
	}()
	select {
	case <-n.stalled:
		select {}
	case a := <-got:
		return a.response, a.err
	}
}

// Alice is created in the container, which also has this machine's accounts: adduser never assigns her id.
const (
	home    = "/home/alice"
	aliceID = "58231"
)

// TestUnderSystemd walks one service through its life.
func TestUnderSystemd(t *testing.T) {
	m := boot(t)
	m.telegram(goodToken)
	m.settings("600")
	m.must(m.alice("tmux -f /dev/null new-session -d -x 80 -y 24 -s main 'claude screen.ansi'"))
	server := strings.TrimSpace(m.must(m.alice("tmux display-message -p '#{pid}'")))
	serverLives := func(when string) {
		t.Helper()
		if out, err := m.alice("tmux display-message -p '#{pid}'"); err != nil || strings.TrimSpace(out) != server {
			t.Errorf("%s: the tmux server is gone: %v %s", when, err, out)
		}
	}
	id := ""

	run := func(name string, f func(t *testing.T)) {
		if !t.Run(name, func(t *testing.T) { m.t = t; f(t) }) {
			t.Log(m.journal())
		}
		m.t = t
	}
	run("install returns when nod polls", func(t *testing.T) {
		out := m.must(m.alice("nod service install --yes"))
		if !strings.Contains(out, "nod runs as a service") {
			t.Errorf("it said\n%s", out)
		}
		m.within(5*time.Second, "nod sees the agent", func() bool { return strings.Contains(m.must(m.alice("nod status")), "claude") })
		if s := m.status(); !s.Runs() || !s.Installed || !s.Current || !s.Enabled || !s.Lingering || s.Restarts != 0 {
			t.Errorf("%+v", s)
		}
		m.eventually("a nudge waits", func() bool { id = m.pending(); return id != "" })
		m.eventually("systemd knows how nod is", func() bool { return strings.Contains(m.status().Says, "1 agent, 1 waits") })
		again := m.must(m.alice("nod service install --yes && nod service status"))
		if !strings.Contains(again, "nod runs as a service") {
			t.Errorf("installed once more it says\n%s", again)
		}
	})
	run("the journal has one line an event with its level", func(t *testing.T) {
		out := m.must(m.alice("journalctl --user -u nod -o json --no-pager _COMM=nod"))
		events := map[string]string{}
		for line := range strings.Lines(out) {
			var entry struct{ Message, Priority string }
			if err := json.Unmarshal([]byte(line), &entry); err != nil {
				t.Fatal(err)
			}
			message, _, _ := strings.Cut(strings.TrimPrefix(entry.Message, "msg="), " pane=")
			events[message] = entry.Priority
			if strings.Contains(entry.Message, "level=") || strings.Contains(entry.Message, "time=") || strings.HasPrefix(entry.Message, "<") {
				t.Errorf("%s", entry.Message)
			}
		}
		if events[`"prompt detected"`] != "6" {
			t.Errorf("%v", events)
		}
	})
	run("reload", func(t *testing.T) {
		before := m.status()
		m.settings("600", "NOD_GRACE=7s")
		m.must(m.alice("systemctl --user reload nod"))
		m.eventually("the setting is in force", func() bool {
			out, _ := m.alice("nod config --json")
			return strings.Contains(out, `"running": "7s"`)
		})
		if after := m.status(); after.PID != before.PID {
			t.Errorf("it was restarted: %+v", after)
		}
	})
	run("kill -9", func(t *testing.T) {
		before := m.status()
		m.must(m.alice(fmt.Sprintf("kill -9 %d", before.PID)))
		m.restarted(before, 30*time.Second)
		m.eventually("the nudge waits as before", func() bool { return m.pending() == id })
		serverLives("after kill -9")
	})
	run("stop takes under five seconds and keeps the state", func(t *testing.T) {
		// A server that was started from the service itself is in its control group.
		second := strings.TrimSpace(m.must(m.alice("tmux -L inside -f /dev/null new-session -d && tmux -L inside display-message -p '#{pid}'")))
		group := strings.TrimSpace(m.must(m.alice("systemctl --user show nod -P ControlGroup")))
		m.must(m.root(nil, fmt.Sprintf("echo %s >/sys/fs/cgroup%s/cgroup.procs", second, group)))
		inside := m.must(m.alice("cat /proc/" + second + "/cgroup"))
		if !strings.Contains(inside, "nod.service") {
			t.Fatalf("the second server is in %s", inside)
		}
		begin := time.Now()
		m.must(m.person("nod service stop"))
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("it took %s", took)
		}
		serverLives("after stop")
		m.must(m.alice("tmux -L inside has-session"))
		m.must(m.person("nod service start"))
		m.eventually("the nudge waits as before", func() bool { return m.pending() == id })
		first := m.status().PID
		m.must(m.person("nod service restart"))
		if s := m.status(); !s.Runs() || s.PID == first {
			t.Errorf("restarted it is %+v, and was process %d", s, first)
		}
		if out := m.must(m.alice("nod service logs --lines 5")); !strings.Contains(out, "nod runs") {
			t.Errorf("its log ends with\n%s", out)
		}
		if out, err := m.alice("nod service stop"); err == nil || !m.status().Runs() {
			t.Errorf("a script stopped nod: %s", out)
		}
		m.must(m.alice("tmux -L inside has-session && tmux -L inside kill-server"))
	})
	run("a stop while a key is typed", func(t *testing.T) {
		// An agent that ignores keys: its prompt remains, and nod waits for it to disappear.
		m.must(m.alice("mkdir deaf && cp /bin/sleep deaf/claude && tmux new-window 'stty -echo; cat screen.ansi; deaf/claude 1000' && tmux kill-pane -t %0"))
		before := id
		m.eventually("the deaf agent's prompt waits", func() bool { id = m.pending(); return id != "" && id != before })
		m.must(m.person("(nod reply " + id + " y >/dev/null 2>&1 & sleep 2)"))
		if waits := m.pending(); waits != "" {
			t.Fatalf("%s waits: no key is being typed", waits)
		}
		begin := time.Now()
		m.must(m.person("nod service stop"))
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("it took %s", took)
		}
		m.must(m.person("nod service start"))
		m.eventually("it says that it does not know", func() bool {
			out, _ := m.alice("nod log --json")
			return strings.Contains(out, `"state":"unknown"`) || strings.Contains(out, `"state": "unknown"`)
		})
	})
	run("a tmux server that hangs is no standstill", func(t *testing.T) {
		m.dropIn("[Service]", "WatchdogSec=4s")
		before := m.status()
		m.must(m.alice("kill -STOP " + server))
		time.Sleep(12 * time.Second)
		after := m.status()
		m.must(m.alice("kill -CONT " + server))
		if after.PID != before.PID || !strings.Contains(after.Says, "tmux") {
			t.Errorf("before %+v, after %+v", before, after)
		}
	})
	run("the watchdog restarts a nod that hangs", func(t *testing.T) {
		before := m.status()
		m.must(m.alice(fmt.Sprintf("kill -STOP %d", before.PID)))
		m.restarted(before, 30*time.Second)
		serverLives("after the watchdog")
	})
	run("the watchdog restarts a nod whose poll loop hangs", func(t *testing.T) {
		m.dropIn("[Service]", "WatchdogSec=4s", "ExecStart=", "ExecStart=/usr/local/bin/nod-stalls run")
		before := m.status()
		time.Sleep(8 * time.Second)
		if now := m.status(); now.PID != before.PID {
			t.Fatalf("it was restarted before it stood still: %+v", now)
		}
		m.must(m.alice(fmt.Sprintf("kill -USR1 %d", before.PID)))
		m.restarted(before, 3*time.Minute)
		serverLives("after the watchdog")
		m.must(m.alice("rm -r .config/systemd/user/nod.service.d && systemctl --user daemon-reload && systemctl --user restart nod"))
	})
	run("Telegram that can't be reached does not keep nod from running", func(t *testing.T) {
		m.must(m.root(nil, "systemctl stop telegram"))
		m.must(m.alice("systemctl --user restart nod"))
		m.eventually("it says so", func() bool { return strings.Contains(m.status().Says, "can't reach Telegram") })
		if s := m.status(); !s.Runs() || s.Restarts != 0 {
			t.Errorf("%+v", s)
		}
	})
	never := func(t *testing.T, why string) {
		t.Helper()
		if out, err := m.alice("systemctl --user reset-failed nod; systemctl --user restart nod"); err == nil {
			t.Errorf("it started: %s", out)
		}
		time.Sleep(4 * time.Second)
		if s := m.status(); s.State != "failed" || s.Exit != exitSettings || s.Restarts != 0 {
			t.Errorf("%+v", s)
		}
		if log := m.journal(); !strings.Contains(log, why) {
			t.Errorf("the journal does not say %q:\n%s", why, log)
		}
		if out, err := m.alice("nod service status"); err == nil || !strings.Contains(out, "its settings are wrong") {
			t.Errorf("%v\n%s", err, out)
		}
	}
	run("a rejected token is not tried again", func(t *testing.T) {
		m.telegram("123456789:another-token-than-nod-has-got-here")
		never(t, "Telegram rejects NOD_TELEGRAM_TOKEN")
	})
	run("a settings file that others can read is not tried again", func(t *testing.T) {
		m.telegram(goodToken)
		m.settings("644")
		never(t, "can be read by others")
	})
	run("wrong settings are not tried again", func(t *testing.T) {
		m.settings("600", "NOD_CADENCE=never")
		never(t, "NOD_CADENCE must be")
	})
	run("a database of a newer nod is not tried again", func(t *testing.T) {
		m.settings("600")
		newer := filepath.Join(t.TempDir(), "nod.db")
		if err := newerDatabase(newer); err != nil {
			t.Fatal(err)
		}
		m.copy(newer, "/tmp/newer.db")
		m.must(m.alice("mv .local/state/nod/nod.db .local/state/nod/own.db && cat /tmp/newer.db >.local/state/nod/nod.db"))
		never(t, "was written by a newer nod")
		m.must(m.alice("mv .local/state/nod/own.db .local/state/nod/nod.db"))
	})
	run("uninstall", func(t *testing.T) {
		m.settings("600")
		m.must(m.alice("nod service install --yes"))
		m.must(m.person("nod service uninstall --yes"))
		if s := m.status(); s.Installed || s.Runs() || s.PID != 0 {
			t.Errorf("%+v", s)
		}
		if out := m.must(m.alice("ls .config/nod .local/state/nod")); !strings.Contains(out, "nod.env") || !strings.Contains(out, "nod.db") {
			t.Errorf("left: %s", out)
		}
		m.must(m.person("nod service uninstall --yes"))
		serverLives("after uninstall")
	})
}
