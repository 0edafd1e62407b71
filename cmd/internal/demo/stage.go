package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"nod/internal/actor"
	"nod/internal/botapi"
	"nod/internal/host/tmux"
)

// ErrNoTmux says that tmux is not installed, or too old.
var ErrNoTmux = errors.New("the demo needs tmux")

// The demo's bot and person. The token works only with the emulator.
const (
	token    = "1000000001:demo-only-no-bot-of-telegram-has-it"
	personID = 4711
)

// demo is everything that `nod demo` starts. All its files are in one temporary folder.
type demo struct {
	dir    string
	botLog string
	tg     *botapi.Server
	person *botapi.Person
	api    *server
	chat   *server
	apiAt  net.Listener
	chatAt net.Listener
	stage  *actor.Stage
	far    *actor.Stage // of the second machine; nil if there is none
	bot    *botProcess
	Options
}

// newDemo opens the two addresses and makes the folder. It starts nothing.
func newDemo(ctx context.Context, o Options) (*demo, error) {
	if err := tmux.Usable(ctx); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoTmux, err)
	}
	// The name is short: a Unix socket's path has at most 107 bytes.
	dir, err := os.MkdirTemp("", "nod-demo-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the demo: %w", err)
	}
	d := &demo{dir: dir, botLog: filepath.Join(dir, "bot.log"), tg: botapi.New(botapi.Options{Token: token, Flood: true, Topics: o.Topics}), Options: o}
	d.person = d.tg.Person(personID, "Ann")
	d.stage = actor.NewStage(dir)
	if o.Machines {
		d.far = actor.NewStage(filepath.Join(dir, "there"))
	}
	if d.apiAt, err = net.Listen("tcp", "127.0.0.1:0"); err == nil {
		d.chatAt, err = net.Listen("tcp", o.Listen)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open an address for the demo: %w", err), d.close())
	}
	return d, nil
}

// start starts the emulator, the agents and the bot, in this order, so that each finds what it needs.
func (d *demo) start(scripts []actor.Script) error {
	d.api = serve(d.apiAt, d.tg)
	d.chat = serve(d.chatAt, d.tg.Page(d.person))
	d.person.Start()
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find nod's own program: %w", err)
	}
	for _, s := range scripts {
		if err := os.MkdirAll(filepath.Join(s.Dir, "build"), 0o700); err != nil { // for the agent to remove
			return fmt.Errorf("make a folder for %s: %w", s.Agent, err)
		}
		if err := d.stageOf(s.Agent).Play(self, s); err != nil {
			return err
		}
	}
	if d.far != nil {
		if err := d.putSSH(self); err != nil {
			return err
		}
	}
	return d.startBot()
}

// farName is the name of the second machine.
const farName = "gpu1"

// stageOf returns the stage of an agent.
func (d *demo) stageOf(agent string) *actor.Stage {
	if d.far != nil && agent == "opencode" {
		return d.far
	}
	return d.stage
}

// ssh is the folder of a program that replaces ssh: it starts the second machine's nod, which shares only
// this computer with the bot.
func (d *demo) ssh() string { return filepath.Join(d.dir, "ssh") }

func (d *demo) putSSH(self string) error {
	there := filepath.Join(d.dir, "there")
	script := fmt.Sprintf("#!/bin/sh\nexec env -u NOD_TELEGRAM_TOKEN NOD_MACHINES= NOD_TMUX_SOCKET='%s' NOD_STATE_DIR='%s/state' NOD_SOCKET='%[2]s/nod.sock' '%[3]s' edge --stdio\n", d.far.Socket, there, self)
	if err := os.MkdirAll(d.ssh(), 0o700); err != nil {
		return fmt.Errorf("make a second machine: %w", err)
	}
	if err := os.WriteFile(filepath.Join(d.ssh(), "ssh"), []byte(script), 0o700); err != nil { //nolint:gosec // it is a program
		return fmt.Errorf("make a second machine: %w", err)
	}
	return nil
}

// server is one of the demo's addresses, with its open connections.
type server struct {
	http http.Server

	mu    sync.Mutex
	conns map[net.Conn]bool
}

func serve(l net.Listener, h http.Handler) *server {
	s := &server{conns: map[net.Conn]bool{}}
	s.http = http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ConnState: s.note}
	go func() { _ = s.http.Serve(l) }() // returns http.ErrServerClosed
	return s
}

func (s *server) note(conn net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateClosed || state == http.StateHijacked {
		delete(s.conns, conn)
		return
	}
	s.conns[conn] = true
}

// close ends the server and resets every connection. A browser that still shows the page would otherwise keep
// its end open, and so the system ours, long after the demo.
func (s *server) close() error {
	s.mu.Lock()
	for conn := range s.conns {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // the connection may be closed already
		}
	}
	s.mu.Unlock()
	return s.http.Close()
}

// address is the URL of the chat page.
func (d *demo) address() string { return "http://" + d.chatAt.Addr().String() + "/" }

// socket is the path of the bot's socket.
func (d *demo) socket() string { return filepath.Join(d.dir, "nod.sock") }

// work is the folder in which an agent works; its base name is the project's.
func (d *demo) work(project string) string { return filepath.Join(d.dir, "work", project) }

// logOf is the path of an agent's log.
func (d *demo) logOf(agent string) string { return filepath.Join(d.dir, agent+".log") }

// close ends everything that was started and removes the folder. It may be called at any stage.
func (d *demo) close() error {
	var errs []error
	if d.bot != nil {
		errs = append(errs, d.bot.stop())
	}
	errs = append(errs, d.stage.Close())
	if d.far != nil {
		errs = append(errs, d.far.Close())
	}
	for _, s := range []*server{d.api, d.chat} {
		if s != nil {
			errs = append(errs, s.close())
		}
	}
	for _, l := range []net.Listener{d.apiAt, d.chatAt} {
		if l != nil {
			_ = l.Close() // the server, if there is one, has closed it
		}
	}
	return errors.Join(append(errs, os.RemoveAll(d.dir))...)
}

// botProcess is one run of the real bot.
type botProcess struct {
	cmd   *exec.Cmd
	ended chan error // receives the end of the process, once
}

// startBot starts `nod run` with settings only from the environment.
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
	b := &botProcess{cmd: cmd, ended: make(chan error, 1)}
	go func() { b.ended <- cmd.Wait() }()
	d.bot = b
	return nil
}

// takesCommands waits until the bot's socket is open, so that what the demo prints works at once.
func (d *demo) takesCommands(ctx context.Context) error {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		if conn, err := net.Dial("unix", d.socket()); err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-d.bot.ended:
			return d.botEnded(err)
		case <-look.C:
		}
	}
}

func (d *demo) botSettings() []string {
	idle := "silent"
	if d.Auto {
		idle = "off"
	}
	topics := "off"
	if d.Topics {
		topics = "on"
	}
	var machines []string
	if d.far != nil {
		machines = []string{"NOD_MACHINES=" + farName, "PATH=" + d.ssh() + ":" + os.Getenv("PATH")}
	}
	return append(machines,
		"NOD_TOPICS="+topics,
		"NOD_TELEGRAM_API=http://"+d.apiAt.Addr().String(),
		"NOD_TELEGRAM_TOKEN="+token,
		"NOD_SUPERVISORS="+strconv.Itoa(personID),
		"NOD_TMUX_SOCKET="+d.stage.Socket,
		"NOD_STATE_DIR="+filepath.Join(d.dir, "state"),
		"NOD_SOCKET="+d.socket(),
		"NOD_WEB=127.0.0.1:0",
		"NOD_POLL_INTERVAL=300ms",
		"NOD_PRESENCE=0s", // a person who watches the panes wants to see the messages as well
		"NOD_GRACE=0s",
		"NOD_IDLE="+idle,
		"XDG_CONFIG_HOME="+filepath.Join(d.dir, "config"), // so that the user's settings file is not read
		"HOME="+d.dir,                                     // so that agents outside tmux are not found: a tap in this chat must not answer them
	)
}

// stop asks the bot to end, and kills it after five seconds.
func (b *botProcess) stop() error {
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

// kill kills the bot like kill -9.
func (b *botProcess) kill() error {
	if err := b.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill the bot: %w", err)
	}
	<-b.ended
	return nil
}

// botEnded returns the error for a bot that ended by itself, with the last lines of its log.
func (d *demo) botEnded(err error) error {
	why := "it ended by itself"
	if err != nil {
		why = err.Error()
	}
	data, _ := os.ReadFile(d.botLog) // without a log there are no lines
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	lines = lines[max(0, len(lines)-8):]
	return fmt.Errorf("the demo's bot is gone (%s); it said last:\n%s", why, strings.Join(lines, "\n"))
}
