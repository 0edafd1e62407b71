package doctor_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"nod/cmd/internal/control"
	"nod/deploy"
	"nod/internal/host/proc"
	"nod/store"
)

// tokenFile moves the token into a file of its own.
func (w *world) tokenFile(name, text string, mode os.FileMode) {
	delete(w.file, "NOD_TELEGRAM_TOKEN")
	w.file["NOD_TELEGRAM_TOKEN_FILE"] = w.path(name)
	if text != "" {
		w.write(w.path(name), text, mode)
	}
}

// restartNeeded changes a setting of a running nod.
func (w *world) restartNeeded() {
	w.running(control.Health{})
	w.write(w.settingsPath(), w.lines()+"NOD_DIGEST=0 9 * * *\n", 0o600)
}

func (w *world) mode(folder string, mode os.FileMode) {
	w.check(os.MkdirAll(folder, 0o700))
	if folder == filepath.Dir(w.settingsPath()) {
		w.write(w.settingsPath(), w.lines(), 0o600)
	}
	w.check(os.Chmod(folder, mode))
	w.Cleanup(func() { _ = os.Chmod(folder, 0o700) })
}

// api calls a method of the Bot API like a program with the token.
func (w *world) api(call string) {
	resp, err := http.Get(w.file["NOD_TELEGRAM_API"] + "/bot" + token + "/" + call)
	w.check(err)
	resp.Body.Close()
}

// otherPoller polls like a program without pauses.
func (w *world) otherPoller() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.file["NOD_TELEGRAM_API"]+"/bot"+token+"/getUpdates?timeout=50&offset=105", nil)
			if err != nil {
				return
			}
			if resp, err := http.DefaultClient.Do(request); err == nil {
				resp.Body.Close()
			}
		}
	}()
	w.Cleanup(func() {
		cancel()
		<-ended
	})
}

// clock makes Telegram's clock differ from ours.
func (w *world) clock(ahead time.Duration) {
	w.file["NOD_TELEGRAM_API"] = w.serve(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
		w.tg.ServeHTTP(out, r)
	}))
}

// tlsServer answers with a certificate of an unknown authority, valid until the given time.
func (w *world) tlsServer(until time.Time) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	w.check(err)
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: until.Add(-48 * time.Hour), NotAfter: until, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	w.check(err)
	s := httptest.NewUnstartedServer(w.tg)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	w.Cleanup(s.Close)
	w.file["NOD_TELEGRAM_API"] = s.URL
}

// mixedTmux is a client that the server does not understand.
func (w *world) mixedTmux() {
	w.programs(map[string]string{"tmux": `[ "$1" = -V ] && echo tmux 3.4 && exit
echo "protocol version mismatch (client 9, server 8)" >&2; exit 1`})
}

// inGroup sets a group for all messages, and makes the bot a member of the group with that id.
func (w *world) inGroup(id int64) {
	w.file["NOD_TOPICS"], w.file["NOD_CHAT"] = "on", "-1001234567890"
	w.tg.Group(id, "agents")
}

// strayServer starts a tmux server that is not in the settings.
func (w *world) strayServer(as *syscall.Credential) {
	home := w.home
	if as != nil { // other users can't reach files in a private TMPDIR
		var err error
		home, err = os.MkdirTemp("/tmp", "nod")
		w.check(err)
		w.Cleanup(func() { _ = os.RemoveAll(home) })
		w.check(os.Chmod(home, 0o755))
	}
	dir := filepath.Join(home, "tmux-9")
	w.check(os.Mkdir(dir, 0o700))
	if as != nil {
		w.check(os.Chown(dir, int(as.Uid), int(as.Gid)))
	}
	run := func(args ...string) error {
		cmd := exec.Command("tmux", append([]string{"-f", "/dev/null", "-S", filepath.Join(dir, "default")}, args...)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
		cmd.Dir = "/"
		cmd.Env = append(os.Environ(), "SHELL=/bin/sh") // the user's own shell might end the pane at once
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	w.check(run("new-session", "-d", "sleep 600"))
	w.Cleanup(func() { _ = run("kill-server") })
}

// otherNod marks the tmux server as that of another running nod.
func (w *world) otherNod() {
	self, err := os.Executable()
	w.check(err)
	cmd := exec.Command(self, "-test.run=^TestBystander$", "run")
	cmd.Env = append(os.Environ(), "NOD_BYSTANDER=1")
	w.check(cmd.Start())
	w.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	id, err := proc.Of(cmd.Process.Pid)
	w.check(err)
	boot, err := proc.BootID()
	w.check(err)
	w.tmux.Run("set-option", "-s", "@nod-owner", fmt.Sprintf("%d %d %s", id.PID, id.Start, boot))
}

// hiddenClaude shows Claude Code's screen in a pane whose program is not recognisable.
func (w *world) hiddenClaude(behind string) {
	screen, err := filepath.Abs("../../../../detect/agents/testdata/claude/2.1.329-bash-80x24.ansi")
	w.check(err)
	pane := w.likeness(behind, "tail", "-n", "+1", "-f", screen)
	w.tmux.UntilShows(pane, "Do you want to proceed?")
}

// unit creates systemd's unit file, "current" for this nod's own, and sets systemd's output about it.
func (w *world) unit(text, says string) {
	w.programs(map[string]string{"systemctl": "printf '" + says + "\\n'"})
	service, err := deploy.NewService(nod, deploy.Bot, w.env)
	w.check(err)
	switch text {
	case "":
	case "current":
		w.write(service.Path, service.Text, 0o644)
	default:
		w.write(service.Path, text, 0o644)
	}
}

func (w *world) claudeSettings(text string) { w.write(w.path(".claude/settings.json"), text, 0o600) }

// hooked makes Claude Code call the given nod, as `nod hooks install` does.
func (w *world) hooked(program string) {
	w.claudeSettings("{}")
	at, err := deploy.Here(w.Context())
	w.check(err)
	h, _ := deploy.HookFor("claude", at)
	_, err = h.Install(program)
	w.check(err)
}

func (w *world) database() {
	db, err := store.Open(w.databasePath())
	w.check(err)
	w.check(db.Close())
}

func (w *world) openDatabase() {
	db, err := store.Open(w.databasePath())
	w.check(err)
	w.Cleanup(func() { db.Close() })
}
