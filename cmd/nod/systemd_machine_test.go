//go:build systemd

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nod/deploy"
)

// machine is a container with a systemd, and a user in it whose services linger.
type machine struct {
	t     *testing.T
	first int // the pid of its systemd
}

// boot boots a machine with nod, a scripted agent and an emulated Telegram.
func boot(t *testing.T) *machine {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("a systemd of its own takes root: run it as `sudo make test-systemd`")
	}
	dir := t.TempDir()
	cmd := exec.Command("../../.ci/systemd", dir)
	var console bytes.Buffer
	cmd.Stdout, cmd.Stderr = &console, &console
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
			removeGroups(fmt.Sprintf("%s/nod-test-%d", root, cmd.Process.Pid))
		}
		if t.Failed() {
			t.Logf("the console:\n%s", console.String())
		}
	})
	m := &machine{t: t}
	m.eventually("systemd runs", func() bool {
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", cmd.Process.Pid))
		m.first, _ = strconv.Atoi(strings.TrimSpace(string(children)))
		if m.first == 0 {
			return false
		}
		out, _ := m.root(nil, "systemctl is-system-running")
		return strings.TrimSpace(out) == "running" || strings.TrimSpace(out) == "degraded"
	})
	m.must(m.root(nil, "useradd -m -s /bin/bash -u "+aliceID+" alice && loginctl enable-linger alice"))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m.copy(self, "/usr/local/bin/claude")
	m.must(m.root(nil, "cd /usr/local/bin && ln claude telegram && ln claude nod-stalls"))
	built := filepath.Join(t.TempDir(), "nod")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", built, ".").CombinedOutput(); err != nil {
		t.Fatalf("build nod: %v\n%s", err, out)
	}
	m.copy(built, "/usr/local/bin/nod")
	m.copy("../../detect/agents/testdata/claude/2.1.329-bash-80x24.ansi", home+"/screen.ansi")
	m.eventually("alice's systemd runs", func() bool {
		out, _ := m.alice("systemctl --user is-system-running")
		return strings.TrimSpace(out) == "running"
	})
	return m
}

// removeGroups removes an empty control group and those below it.
func removeGroups(path string) {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var groups []string
		filepath.WalkDir(path, func(p string, entry os.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				groups = append(groups, p)
			}
			return nil
		})
		slices.Reverse(groups)
		for _, g := range groups {
			os.Remove(g)
		}
		if _, err := os.Stat(path); err != nil {
			return
		}
	}
}

// enter runs a command in the machine.
func (m *machine) enter(in []byte, args ...string) (string, error) {
	line := append([]string{"-t", strconv.Itoa(m.first), "-m", "-p", "-C", "-u", "-i", "-n", "--",
		"env", "-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TERM=linux", "LANG=C.UTF-8"}, args...)
	cmd := exec.Command("nsenter", line...)
	cmd.Stdin = bytes.NewReader(in)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (m *machine) root(in []byte, script string) (string, error) {
	return m.enter(in, "bash", "-c", script)
}

// alice runs a script as the user, who has logged in.
func (m *machine) alice(script string) (string, error) {
	return m.enter(nil, "runuser", "-u", "alice", "--", "env", "HOME="+home, "USER=alice", "LOGNAME=alice", "XDG_RUNTIME_DIR=/run/user/"+aliceID,
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/"+aliceID+"/bus", "bash", "-c", "cd; "+script)
}

// person runs a script as the user at a terminal: commands that type or stop nod need one.
func (m *machine) person(script string) (string, error) {
	out, err := m.alice("script -qec " + strconv.Quote(script) + " /dev/null")
	return strings.ReplaceAll(out, "\r\n", "\n"), err
}

// must returns the output of a command, which has to succeed.
func (m *machine) must(out string, err error) string {
	m.t.Helper()
	if err != nil {
		m.t.Fatalf("%v\n%s", err, out)
	}
	return out
}

func (m *machine) copy(from, to string) {
	m.t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		m.t.Fatal(err)
	}
	m.must(m.root(data, fmt.Sprintf("cat >%[1]s && chmod 755 %[1]s", to)))
}

func (m *machine) eventually(what string, done func() bool) {
	m.t.Helper()
	m.within(30*time.Second, what, done)
}

func (m *machine) within(limit time.Duration, what string, done func() bool) {
	m.t.Helper()
	for end := time.Now().Add(limit); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			m.t.Fatalf("waited in vain: %s\n%s", what, m.journal())
		}
	}
}

// status returns the output of `nod service status`.
func (m *machine) status() deploy.ServiceStatus {
	m.t.Helper()
	out, _ := m.alice("nod service status --json")
	var s deploy.ServiceStatus
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		m.t.Fatalf("%v\n%s", err, out)
	}
	return s
}

// journal returns the last lines of the service's journal. A process that ended at once is found only by its
// name: the journal could not learn its unit any more.
func (m *machine) journal() string {
	out, _ := m.alice("journalctl --user -o short --no-pager -n 40 _SYSTEMD_USER_UNIT=nod.service + USER_UNIT=nod.service + SYSLOG_IDENTIFIER=nod")
	return out
}

// settings writes the settings file.
func (m *machine) settings(mode string, lines ...string) {
	m.t.Helper()
	lines = append(lines, "NOD_SUPERVISORS=1", "NOD_TELEGRAM_TOKEN="+goodToken, "NOD_TELEGRAM_API=http://127.0.0.1:8099", "NOD_POLL_INTERVAL=200ms")
	m.must(m.alice(fmt.Sprintf("mkdir -p .config/nod && printf '%s\\n' >.config/nod/nod.env && chmod %s .config/nod/nod.env", strings.Join(lines, "\\n"), mode)))
}

// telegram starts an emulated Telegram with a token.
func (m *machine) telegram(token string) {
	m.t.Helper()
	m.must(m.root(nil, "systemctl stop telegram; systemd-run --unit telegram telegram "+token))
	m.eventually("Telegram answers", func() bool {
		_, err := m.root(nil, "exec 3<>/dev/tcp/127.0.0.1/8099")
		return err == nil
	})
}

// dropIn changes the service by a drop-in file.
func (m *machine) dropIn(lines ...string) {
	m.t.Helper()
	m.must(m.alice(fmt.Sprintf("mkdir -p .config/systemd/user/nod.service.d && printf '%s\\n' >.config/systemd/user/nod.service.d/test.conf && "+
		"systemctl --user daemon-reload && systemctl --user restart nod", strings.Join(lines, "\\n"))))
}

// pending returns the id of the only waiting nudge; empty if none waits.
func (m *machine) pending() string {
	out, err := m.alice("nod queue --json")
	var queue []struct{ ID string }
	if err != nil || json.Unmarshal([]byte(out), &queue) != nil || len(queue) != 1 {
		return ""
	}
	return queue[0].ID
}

// restarted waits until a new process is running, and returns its pid.
func (m *machine) restarted(before deploy.ServiceStatus, limit time.Duration) deploy.ServiceStatus {
	m.t.Helper()
	var now deploy.ServiceStatus
	m.within(limit, "nod is restarted", func() bool {
		now = m.status()
		return now.Runs() && now.PID != before.PID && now.Restarts == before.Restarts+1
	})
	return now
}
