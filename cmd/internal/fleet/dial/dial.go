// Package dial reaches machines by a program that runs `nod edge --stdio` there: ssh, with the person's own
// configuration and keys, or docker exec. No port has to be opened.
package dial

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"nod/cmd/internal/fleet/pipe"
	"nod/internal/settings"
)

// Dialer keeps a link to one machine.
type Dialer struct {
	Machine settings.Machine
	// Folder is where ssh keeps the sockets of its connections. Its path must be short.
	Folder string
	// Attach uses a link until the link ends.
	Attach func(ctx context.Context, name string, link *pipe.Link) error
	// Trouble receives a sentence that says why the machine can't be reached.
	Trouble func(name, why string)
}

// lastWords is how long the other end has to report the result of the last request before it is killed. It is
// shorter than nod's own time to stop.
const lastWords = 3 * time.Second

// Run dials until ctx ends.
func (d *Dialer) Run(ctx context.Context) error {
	pipe.Again(ctx, func() {
		if why := d.once(ctx); why != "" && ctx.Err() == nil {
			d.Trouble(d.Machine.Name, why)
		}
	})
	return nil
}

// Command returns the command that reaches a machine. The machine's name can't be taken for an option,
// because `--` precedes it.
func Command(m settings.Machine, folder string) []string {
	if m.Container != "" {
		return []string{"docker", "exec", "-i", "--", m.Container, "nod", "edge", "--stdio"}
	}
	argv := []string{"ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"}
	if len(folder) <= longestFolder {
		argv = append(argv, "-o", "ControlMaster=auto", "-o", "ControlPersist=no", "-o", "ControlPath="+filepath.Join(folder, "%C"))
	}
	return append(argv, "--", m.Host, "nod", "edge", "--stdio")
}

// longestFolder leaves room in a socket's path. macOS allows 104 bytes; %C takes 40, and ssh adds 17 while it
// makes the socket.
const longestFolder = 104 - 1 - 40 - 17 - 1

// once makes one connection and uses it until it ends. why is a sentence.
func (d *Dialer) once(ctx context.Context) (why string) {
	dialing, stop := context.WithCancel(ctx)
	defer stop()
	talking, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	if err := os.MkdirAll(d.Folder, 0o700); err != nil {
		return fmt.Sprintf("no folder for ssh's connections: %v", err)
	}
	argv := Command(d.Machine, d.Folder)
	cmd := exec.CommandContext(dialing, argv[0], argv[1:]...)
	said := &tail{}
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	if err != nil {
		return err.Error()
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err.Error()
	}
	// The edge notices the end by the end of its input. It then finishes an answer that it is typing, and
	// reports the result.
	link := pipe.NewLink(out, in, func() error { stop(); return nil })
	cmd.Cancel = func() error {
		link.HangUp()
		return in.Close()
	}
	cmd.WaitDelay = lastWords
	if err := cmd.Start(); err != nil {
		_ = link.Close()
		return fmt.Sprintf("%s can't be run (%v): install it, or take the machine out of NOD_MACHINES", argv[0], err)
	}
	defer context.AfterFunc(dialing, func() { time.AfterFunc(lastWords, hangUp) })()
	wrong := d.Attach(talking, d.Machine.Name, link)
	_ = link.Close()
	_ = cmd.Wait() // the result is in cmd.ProcessState
	switch {
	case wrong != nil && said.String() == "":
		return wrong.Error()
	case !cmd.ProcessState.Success() || said.String() != "":
		return Explain(d.Machine, cmd.ProcessState.ExitCode(), said.String())
	}
	return "the connection ended"
}

// explanations are messages of ssh, docker and shells after which a person has to act, and what they mean.
var explanations = []struct{ says, means string }{
	{"Host key verification failed", "its host key is not known here: run `ssh {host}` once, and look at the key"},
	{"REMOTE HOST IDENTIFICATION HAS CHANGED", "its host key is another one than before: find out why before you connect"},
	{"Permission denied", "it lets no key of yours in: `ssh -o BatchMode=yes {host} true` must work without a question"},
	{"Connection refused", "nothing answers at its ssh port: is sshd running there?"},
	{"timed out", "it does not answer: is it on, and in reach?"},
	{"No route to host", "there is no way to it: is it on, and in reach?"},
	{"Could not resolve", "its name is not known: name {host} in ~/.ssh/config, or write {name}=HOST in NOD_MACHINES"},
	{"No such container", "there is no such container running"},
	{"executable file not found", "nod was not found there: install it in a folder of its PATH"},
	{"not found", notThere},
	{"Unknown command", notThere}, // fish
}

const notThere = "nod was not found there: shells that ssh starts often lack ~/.local/bin; put nod into /usr/local/bin, or set PATH in the file that " +
	"its shell reads then (~/.bashrc, ~/.zshenv, ~/.config/fish/config.fish)"

// Explain says why a program that should reach a machine has ended.
func Explain(m settings.Machine, code int, said string) string {
	for _, e := range explanations {
		if strings.Contains(said, e.says) {
			return strings.NewReplacer("{host}", m.Host, "{name}", m.Name).Replace(e.means)
		}
	}
	lines := strings.Split(strings.TrimSpace(said), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if hint, ok := strings.CutPrefix(last, "hint: "); ok && len(lines) > 1 { // the nod over there says first what is wrong
		last = strings.TrimSpace(lines[len(lines)-2]) + ". " + hint
	}
	last = strings.TrimPrefix(last, "nod: ")
	if last != "" {
		return last
	}
	return fmt.Sprintf("the connection ended (%d)", code)
}

// tail keeps the end of a program's output.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const tailKept = 2000

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	t.kept = t.kept[max(0, len(t.kept)-tailKept):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.ToValidUTF8(t.kept, nil))
}
