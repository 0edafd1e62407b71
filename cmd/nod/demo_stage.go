package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"nod/internal/actor"
	"nod/internal/botapi"
)

// The demo's bot and person. The token opens nothing but the emulator.
const (
	demoToken  = "1000000001:demo-only-no-bot-of-telegram-has-it"
	demoPerson = 4711
)

// demo is everything that `nod demo` starts. All its files are in one temporary folder.
type demo struct {
	dir    string
	botLog string
	tg     *botapi.Server
	person *botapi.Person
	api    *http.Server
	chat   *http.Server
	apiAt  net.Listener
	chatAt net.Listener
	stage  *actor.Stage
	bot    *demoBot
	calm   bool // no notices of idle agents
}

// newDemo opens the two addresses and makes the folder; nothing runs yet.
func newDemo(listen string) (*demo, error) {
	if _, err := exec.LookPath("tmux"); err != nil {
		return nil, &failure{code: exitFailed, err: errors.New("the demo needs tmux, and it is not installed"),
			hint: "`make demo` installs it, or your package manager does: apt-get install tmux, brew install tmux"}
	}
	// Short, for a Unix socket's path ends after 107 bytes.
	dir, err := os.MkdirTemp("", "nod-demo-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the demo: %w", err)
	}
	d := &demo{dir: dir, botLog: filepath.Join(dir, "bot.log"), tg: botapi.New(botapi.Options{Token: demoToken, Flood: true})}
	d.person = d.tg.Person(demoPerson, "Ann")
	d.stage = actor.NewStage(dir)
	if d.apiAt, err = net.Listen("tcp", "127.0.0.1:0"); err == nil {
		d.chatAt, err = net.Listen("tcp", listen)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open an address for the demo: %w", err), d.close())
	}
	return d, nil
}

// start brings up the emulator, the agents and the bot, in this order, so that each finds what it
// needs.
func (d *demo) start(scripts func(d *demo) []actor.Script, calm bool) error {
	d.calm = calm
	d.api = serveDemo(d.apiAt, d.tg)
	d.chat = serveDemo(d.chatAt, d.tg.Page(d.person))
	d.person.Start()
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find nod's own program: %w", err)
	}
	for _, s := range scripts(d) {
		if err := os.MkdirAll(filepath.Join(s.Dir, "build"), 0o700); err != nil { // it is there to be removed
			return fmt.Errorf("make a folder for %s: %w", s.Agent, err)
		}
		if err := d.stage.Play(self, s); err != nil {
			return err
		}
	}
	return d.startBot()
}

func serveDemo(l net.Listener, h http.Handler) *http.Server {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.Serve(l) }() // ends with http.ErrServerClosed
	return s
}

// address is the chat page's.
func (d *demo) address() string { return "http://" + d.chatAt.Addr().String() + "/" }

// work is the folder that an agent works in; its name is the project's.
func (d *demo) work(project string) string { return filepath.Join(d.dir, "work", project) }

// logOf is where an agent writes down what happened to it.
func (d *demo) logOf(agent string) string { return filepath.Join(d.dir, agent+".log") }

// close ends all that was started and removes the folder. It may be called at any stage.
func (d *demo) close() error {
	var errs []error
	if d.bot != nil {
		errs = append(errs, d.bot.stop())
	}
	errs = append(errs, d.stage.Close())
	for _, s := range []*http.Server{d.api, d.chat} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	for _, l := range []net.Listener{d.apiAt, d.chatAt} {
		if l != nil {
			_ = l.Close() // the server has closed it, where there is one
		}
	}
	return errors.Join(append(errs, os.RemoveAll(d.dir))...)
}

// demoBot is one run of the real bot.
type demoBot struct {
	cmd   *exec.Cmd
	ended chan error // gets how the process ended, once
}

// startBot starts `nod run` with settings from the environment alone.
func (d *demo) startBot() error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find nod's own program: %w", err)
	}
	log, err := os.OpenFile(d.botLog, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("start the bot: %w", err)
	}
	defer log.Close()
	cmd := exec.Command(self, "run")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(actor.Environment(), d.botSettings()...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a Ctrl-C is for the demo, which then ends the bot
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the bot: %w", err)
	}
	b := &demoBot{cmd: cmd, ended: make(chan error, 1)}
	go func() { b.ended <- cmd.Wait() }()
	d.bot = b
	return nil
}

func (d *demo) botSettings() []string {
	idle := "silent"
	if d.calm {
		idle = "off"
	}
	return []string{
		"NOD_TELEGRAM_API=http://" + d.apiAt.Addr().String(),
		"NOD_TELEGRAM_TOKEN=" + demoToken,
		"NOD_SUPERVISORS=" + strconv.Itoa(demoPerson),
		"NOD_TMUX_SOCKET=" + d.stage.Socket,
		"NOD_STATE_DIR=" + filepath.Join(d.dir, "state"),
		"NOD_SOCKET=" + filepath.Join(d.dir, "nod.sock"),
		"NOD_POLL_INTERVAL=300ms",
		"NOD_PRESENCE=0s", // whoever watches the panes wants to see the messages as well
		"NOD_GRACE=0s",
		"NOD_IDLE=" + idle,
		"XDG_CONFIG_HOME=" + filepath.Join(d.dir, "config"), // no settings file of the user's
	}
}

// stop asks the bot to end, and makes it after five seconds.
func (b *demoBot) stop() error {
	if err := b.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return nil // it has ended
	}
	select {
	case <-b.ended:
		return nil
	case <-time.After(5 * time.Second):
		return b.kill()
	}
}

// kill ends the bot as kill -9 does.
func (b *demoBot) kill() error {
	if err := b.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill the bot: %w", err)
	}
	<-b.ended
	return nil
}

// botEnded says that the bot ended by itself, with the last lines of its log.
func (d *demo) botEnded(err error) error {
	why := "it ended by itself"
	if err != nil {
		why = err.Error()
	}
	data, _ := os.ReadFile(d.botLog) // no log, no lines
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	lines = lines[max(0, len(lines)-8):]
	return fmt.Errorf("the demo's bot is gone (%s); it said last:\n%s", why, strings.Join(lines, "\n"))
}
