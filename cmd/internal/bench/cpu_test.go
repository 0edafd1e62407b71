package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// paneCounts are those at which CPU is measured.
var paneCounts = []int{10, 50, 100, allPanes}

// drawn is what the panes of a server show, by a program named claude that takes orders from a pipe for each pane. It uses what
// the shell itself has, so that two hundred of them draw without a process.
type drawn struct {
	*rig
	dir, agent string
	panes      []string
	orders     []*os.File
}

// spinner is the row of the working screen that changes each second.
const spinner = 35

func newDrawn(b *testing.B, r *rig) *drawn {
	b.Helper()
	d := &drawn{rig: r, dir: b.TempDir()}
	d.agent = filepath.Join(d.dir, "claude")
	for _, name := range []string{"idle", "working-tool"} {
		d.write(b, filepath.Join(d.dir, name), recorded(b, name))
	}
	d.write(b, d.agent, fmt.Sprintf(`#!/bin/sh
stty -echo
cat '%s/idle'
while read -r order n; do
	case $order in
	show) cat '%s'/"$n" ;;
	tick) printf '\033[%d;1H✻ Symbioting… (%%ss · ↓ %%s0 tokens)  \033[38;3H' "$n" "$n" ;;
	hook) echo "$n" | env '%s' '%s' hook claude >/dev/null 2>&1 & ;;
	esac
done <"$1"
`, d.dir, d.dir, spinner, strings.Join(r.env, "' '"), *program))
	return d
}

func (d *drawn) write(b *testing.B, file, text string) {
	b.Helper()
	if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
		b.Fatal(err)
	}
}

// grow adds panes until there are n.
func (d *drawn) grow(b *testing.B, n int) {
	b.Helper()
	from := len(d.panes)
	for i := from; i < n; i++ {
		pipe := filepath.Join(d.dir, fmt.Sprint(i))
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			b.Fatal(err)
		}
		orders := must[*os.File](b)(os.OpenFile(pipe, os.O_RDWR, 0))
		b.Cleanup(func() { _ = orders.Close() })
		d.orders = append(d.orders, orders)
		d.panes = append(d.panes, d.Pane("exec "+d.agent+" "+pipe, 120, 40))
	}
	for _, pane := range d.panes[from:] {
		d.UntilShows(pane, "? for shortcuts")
	}
}

// order tells the first n panes something.
func (d *drawn) order(n int, what string) {
	for _, o := range d.orders[:n] {
		_, _ = fmt.Fprintln(o, what)
	}
}

// tellByHooks has the first n panes tell nod by their hooks that they ask for permission, and that their call has run.
func (d *drawn) tellByHooks(n int) {
	for _, event := range []string{"PreToolUse", "PermissionRequest", "PostToolUse"} {
		for i, o := range d.orders[:n] {
			_, _ = fmt.Fprintf(o, `hook {"hook_event_name":"%s","session_id":"s%d","tool_name":"Bash","tool_use_id":"c%d","tool_input":{"command":"make"}}`+"\n", event, i, i)
		}
		time.Sleep(5 * time.Second)
	}
}

// ticking has the first n panes draw once a second, spread over it, while f runs.
func (d *drawn) ticking(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	var ticks sync.WaitGroup
	ticks.Go(func() {
		beat := time.NewTicker(time.Second / time.Duration(n))
		defer beat.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
			}
			_, _ = fmt.Fprintln(d.orders[i%n], "tick", 10+i/n)
		}
	})
	f()
	stop()
	ticks.Wait()
}

// cpuAndMemory is what nod and tmux take together for panes that are still or draw, against the naive way, in percent of a core.
func cpuAndMemory(b *testing.B) map[string]float64 {
	values := map[string]float64{}
	d, without := newDrawn(b, newRig(b)), newDrawn(b, newRig(b)) // the other draws the same at the same time, and has no nod
	server, serverWithout := d.PID(), without.PID()
	d.start(b)
	pid := d.nod.Process.Pid
	for _, n := range paneCounts {
		for _, d := range []*drawn{d, without} {
			d.order(len(d.panes), "show idle")
			d.grow(b, n)
		}
		time.Sleep(4 * time.Second) // nod finds the new panes, and reads them until they are known to stand still
		for _, how := range []struct {
			name           string
			ticks, seconds int
		}{
			// Every pane is listed every fifteen polls. Of panes that draw, what a server takes for the drawing itself is subtracted, which is
			// several times as much as nod takes: fifteen seconds in a row of two hundred panes differed by a fifth.
			{"still", 0, 60}, {"fifth", n / 5, 60}, {"all", n, 15}, {"hooked", n / 5, 60},
		} {
			if how.name == "hooked" {
				if n != allPanes {
					continue
				}
				values["drawn-memory-200"], _ = resident(b, pid)
				d.tellByHooks(how.ticks)
			}
			tenths := short(10 * how.seconds)
			if n != allPanes && (n != 50 || how.ticks > 0) {
				tenths = short(60)
			}
			measure := func() {
				time.Sleep(2 * time.Second)
				values[fmt.Sprintf("%s-%d", how.name, n)] = share(tenths, func() time.Duration {
					return cpuOf(b, server) + cpuOf(b, pid) + ofChildren(b, pid) - cpuOf(b, serverWithout)
				})
			}
			d.order(how.ticks, "show working-tool")
			without.order(how.ticks, "show working-tool")
			d.ticking(how.ticks, func() { without.ticking(how.ticks, measure) })
		}
		values[fmt.Sprintf("naive-%d", n)] = d.naive(b, server)
		b.Logf("%d panes: %v", n, values)
	}
	values["of-naive-50"] = values["still-50"] / values["naive-50"]
	time.Sleep(time.Duration(short(75)) * time.Second) // nod gives memory back each minute
	values["memory-200"], values["file-memory-200"] = resident(b, pid)
	return values
}

// share is how much of a core is used within some tenths of a second, in percent.
func share(tenths int, used func() time.Duration) float64 {
	began, before := time.Now(), used()
	time.Sleep(time.Duration(tenths) * 100 * time.Millisecond)
	return 100 * float64(used()-before) / float64(time.Since(began))
}

// naive is what a capture process a pane takes each second. nod stands still meanwhile.
func (d *drawn) naive(b *testing.B, server int) float64 {
	_ = d.nod.Process.Signal(syscall.SIGSTOP)
	defer func() { _ = d.nod.Process.Signal(syscall.SIGCONT) }()
	used := func() time.Duration {
		var children syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children); err != nil {
			b.Fatal(err)
		}
		return cpuOf(b, server) + time.Duration(children.Utime.Nano()+children.Stime.Nano())
	}
	before, rounds := used(), short(5)
	for range rounds {
		for _, pane := range d.panes {
			if err := exec.Command("tmux", "-N", "-u", "-S", d.Socket, "capture-pane", "-e", "-p", "-t", pane).Run(); err != nil {
				b.Fatal(err)
			}
		}
	}
	return 100 * (used() - before).Seconds() / float64(rounds)
}

// cpuOf is what all threads of a process have used.
func cpuOf(b *testing.B, pid int) (used time.Duration) {
	b.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		b.Fatalf("the use of the CPU can't be read on this system: %v", err)
	}
	for _, thread := range threads {
		text := must[[]byte](b)(os.ReadFile(thread))
		used += time.Duration(must[int64](b)(strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)))
	}
	return used
}

// ofChildren is what a process's finished children have used, in steps of ten milliseconds.
func ofChildren(b *testing.B, pid int) time.Duration {
	b.Helper()
	text := string(must[[]byte](b)(os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))))
	fields := strings.Fields(text[strings.LastIndex(text, ")")+2:]) // from the third field on
	ticks := must[int](b)(strconv.Atoi(fields[13])) + must[int](b)(strconv.Atoi(fields[14]))
	return time.Duration(ticks) * 10 * time.Millisecond
}

// resident is the memory of a process, and how much of it is files, in MB.
func resident(b *testing.B, pid int) (all, file float64) {
	b.Helper()
	for line := range strings.Lines(string(must[[]byte](b)(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))))) {
		name, rest, _ := strings.Cut(line, ":")
		if name != "VmRSS" && name != "RssFile" {
			continue
		}
		kb := must[float64](b)(strconv.ParseFloat(strings.Fields(rest)[0], 64))
		if name == "VmRSS" {
			all = kb / 1024
		} else {
			file = kb / 1024
		}
	}
	return all, file
}
