package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"nod/internal/testrun"
)

func TestSocketIsFoundAlikeByBothEnds(t *testing.T) {
	with := environment(t, "", "XDG_RUNTIME_DIR", fmt.Sprintf("/run/user/%d", os.Getuid()))
	without := environment(t, "", "XDG_RUNTIME_DIR", "")
	a, _ := Load(with)
	b, _ := Load(without)
	if _, err := os.Stat(with["XDG_RUNTIME_DIR"]); err != nil {
		if want := b.StateDir + "/nod.sock"; b.Socket != want {
			t.Errorf("got %s, want %s", b.Socket, want)
		}
		return
	}
	if a.Socket != b.Socket {
		t.Errorf("%s and %s", a.Socket, b.Socket)
	}
}

func TestARelativeHomeIsNone(t *testing.T) {
	env := Environment{"HOME": "here", "XDG_CONFIG_HOME": "here", "XDG_STATE_HOME": "here"}
	if s, err := Load(env); err != nil || !filepath.IsAbs(string(s.StateDir)) || !filepath.IsAbs(string(s.Socket)) || !filepath.IsAbs(File(env)) {
		t.Errorf("%s, %s, %s, %v", s.StateDir, s.Socket, File(env), err)
	}
}

// TestNothingIsKeptInThePresentFolder: where no home directory is known, settings are wrong that name no other folder.
func TestNothingIsKeptInThePresentFolder(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become a user without a home directory")
	}
	if !testrun.Apart(t) {
		return
	}
	for _, name := range []string{"HOME", "USER"} {
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Setuid(4_242_424); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(Environment{}); err == nil || err.Error() != "NOD_STATE_DIR is not set, and no home directory is known: set HOME" {
		t.Errorf("got %v", err)
	}
	if s, err := Load(Environment{"NOD_STATE_DIR": "/state"}); err != nil || s.StateDir != "/state" || File(Environment{}) != "" {
		t.Errorf("with a folder: %+v, %v", s, err)
	}
	if err := Save("", []Change{{"NOD_IDLE", "on"}}); err == nil || !strings.Contains(err.Error(), "set HOME or NOD_CONFIG") {
		t.Errorf("written: %v", err)
	}
}

// TestTheSocketIsFoundWhileOtherSettingsAreWrong, if the file can be read and names no wrong socket.
func TestTheSocketIsFoundWhileOtherSettingsAreWrong(t *testing.T) {
	for file, want := range map[string]string{
		"": "/run/x/nod.sock", "NOD_IDLE=maybe\n": "/run/x/nod.sock", "what is this\nNOD_EXPIRY=0\n": "/run/x/nod.sock", "NOD_TELEGRAM_TOKEN=1\n": "/run/x/nod.sock",
		"NOD_SOCKET=/s\nNOD_IDLE=maybe\n": "/s", "NOD_SOCKET=s\n": "", "NOD_SOCKET=/s\nNOD_SOCKET=/t\n": "", "NOD_STATE_DIR=here\n": "",
	} {
		env := environment(t, file, "XDG_RUNTIME_DIR", "/run/x")
		if socket, err := SocketOf(env); string(socket) != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", file, socket, err)
		}
		if s, err := Load(env); err == nil && string(s.Socket) != want {
			t.Errorf("%q: %q when it is loaded", file, s.Socket)
		}
	}
	env := environment(t, "NOD_SOCKET=/s\n")
	if err := os.Chmod(File(env), 0o644); err != nil {
		t.Fatal(err)
	}
	if socket, err := SocketOf(env); err == nil {
		t.Errorf("of a file that others can read: %q", socket)
	}
}
