package deploy

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unitFor returns the unit for a nod at program.
func unitFor(program string, env map[string]string) Service {
	u := unit{Program: program, Runs: Bot, Path: "/usr/local/bin:/usr/bin:/bin", Set: passedOn(env)}
	return systemdService(u, "/home/ann")
}

// directives returns the unit's settings, `Key=value`, in order.
func directives(unit string) map[string][]string {
	out := make(map[string][]string)
	for line := range strings.Lines(unit) {
		line = strings.TrimSpace(line)
		if key, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			out[key] = append(out[key], value)
		}
	}
	return out
}

// With one of these a user unit starts on some systemd versions, but finds no tmux socket, no agent, or other
// settings than the command line.
// not the settings that the command line sees.
func TestUnitHidesNothingThatNodNeeds(t *testing.T) {
	unit := directives(unitFor("/usr/bin/nod", nil).Text)
	for _, key := range []string{
		"PrivateTmp", "PrivateNetwork", "PrivateUsers", "PrivateDevices", "ProtectHome", "ProtectSystem",
		"ProtectProc", "ProcSubset", "CapabilityBoundingSet", "ProtectKernelModules", "ProtectKernelLogs",
		"ProtectClock", "EnvironmentFile", "StateDirectory", "RuntimeDirectory",
	} {
		if v, ok := unit[key]; ok {
			t.Errorf("the unit sets %s=%s", key, v)
		}
	}
}

func TestUnitStopsAtWrongSettings(t *testing.T) {
	unit := directives(unitFor("/usr/bin/nod", nil).Text)
	for key, want := range map[string]string{
		"Type": "notify", "RestartPreventExitStatus": "78", "Restart": "on-failure",
		"UMask": "0077", "LimitCORE": "0",
	} {
		if got := unit[key]; len(got) != 1 || got[0] != want {
			t.Errorf("%s = %q, want %q", key, got, want)
		}
	}
}

// TestTheServiceOfAnEdge: its unit differs only in its command, and in that an edge reports nothing to
// systemd.
func TestTheServiceOfAnEdge(t *testing.T) {
	s := systemdService(unit{Program: "/usr/bin/nod", Runs: Edge}, "/home/ann")
	got, bot := directives(s.Text), directives(unitFor("/usr/bin/nod", nil).Text)
	for key, want := range map[string]string{"Type": "simple", "WatchdogSec": "", "NotifyAccess": "", "ExecStart": `"/usr/bin/nod" edge`} {
		if strings.Join(got[key], ",") != want {
			t.Errorf("%s = %q, want %q", key, got[key], want)
		}
		delete(got, key)
		delete(bot, key)
	}
	delete(got, "Environment")
	delete(bot, "Environment")
	delete(got, "Description")
	delete(bot, "Description")
	if !reflect.DeepEqual(got, bot) {
		t.Errorf("the rest is %v, want %v", got, bot)
	}
}

// TestStopNeverTakesATmuxServerDown: systemd ends the whole control group of a unit, including a tmux server
// started from it, unless the unit limits that to the main process.
func TestStopNeverTakesATmuxServerDown(t *testing.T) {
	if got := directives(unitFor("/usr/bin/nod", nil).Text)["KillMode"]; len(got) != 1 || got[0] != "process" {
		t.Errorf("KillMode = %q", got)
	}
}

// TestUnitVerifies for every program path that systemd accepts (without quotes and backslashes). systemd only
// warns about an unknown key, so the test requires that it prints nothing.
func TestUnitVerifies(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	for _, name := range []string{"nod", "a b%n $HOME"} {
		dir := filepath.Join(t.TempDir(), name)
		bin := filepath.Join(dir, "nod")
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(bin, []byte("#!/bin/sh\n"), 0o755)); err != nil {
			t.Fatal(err)
		}
		unit := unitFor(bin, map[string]string{"NOD_CONFIG": dir + "/nod.env", "XDG_STATE_HOME": "state", "NOD_TELEGRAM_TOKEN": "secret"})
		path := filepath.Join(t.TempDir(), "nod.service")
		if err := os.WriteFile(path, []byte(unit.Text), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(analyze, "verify", "--user", "--man=no", path)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Run(); err != nil || stderr.Len() > 0 {
			t.Errorf("systemd-analyze verify: %v\n%s\n%s", err, stderr.String(), unit.Text)
		}
		if strings.Contains(unit.Text, "secret") || strings.Contains(unit.Text, "XDG_STATE_HOME") {
			t.Errorf("the unit holds a token, or a path that is none:\n%s", unit.Text)
		}
	}
}

// TestNoValueWritesALineOfTheUnit: a folder may be called anything.
func TestNoValueWritesALineOfTheUnit(t *testing.T) {
	for _, u := range []unit{
		{Program: "/a\nExecStartPre=/b", Runs: Bot, Path: "/bin"},
		{Program: "/nod", Runs: Bot, Path: "/a\r\nExecStartPre=/b"},
		{Program: "/nod", Runs: Bot, Path: "/bin", Set: []variable{{"NOD_CONFIG", "/a\nExecStartPre=/b\n"}}},
	} {
		plain := unitText(unit{Program: "/nod", Runs: Bot, Path: "/bin", Set: u.Set[:0]})
		if text := unitText(u); strings.Contains(text, "\nExecStartPre") || strings.Contains(text, "\r") || strings.Count(text, "\n") != strings.Count(plain, "\n")+len(u.Set) {
			t.Errorf("%q writes lines of its own:\n%s", u, text)
		}
	}
}

// TestEveryPlaceIsFilledOnce: no placeholder remains in a service's file, and a value that looks like one
// stays as it is.
func TestEveryPlaceIsFilledOnce(t *testing.T) {
	for _, runs := range []string{Bot, Edge} {
		u := unit{Program: "/{runs}", Runs: runs, Path: "/{path}", Set: []variable{{"NOD_CONFIG", "/{environment}"}}}
		for text, want := range map[string][]string{
			unitText(u):             {"/{runs}", "/{path}", "/{environment}"},
			plistText(u, "/{home}"): {"/{runs}", "/{path}", "/{environment}", "/{home}"},
		} {
			if got := regexp.MustCompile(`/?\{\w+\}`).FindAllString(text, -1); !slices.Equal(got, want) {
				t.Errorf("it holds %q, want %q:\n%s", got, want, text)
			}
		}
	}
}

// TestPropertyListHoldsAnyPath: the file is valid XML and decodes to the original values.
func TestPropertyListHoldsAnyPath(t *testing.T) {
	program := `/Users/ann/a & b <c>/nod`
	s := launchdService(unit{Program: program, Runs: Bot, Path: "/opt/homebrew/bin:/usr/bin", Set: []variable{{"NOD_CONFIG", "/x&y"}}}, "/Users/ann")
	var words []string
	d := xml.NewDecoder(strings.NewReader(s.Text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, s.Text)
		}
		if text, ok := token.(xml.CharData); ok {
			words = append(words, strings.TrimSpace(string(text)))
		}
	}
	for _, want := range []string{program, "/x&y", "/Users/ann/Library/Logs/nod.log", "run"} {
		if !slices.Contains(words, want) {
			t.Errorf("%q is missing in\n%s", want, s.Text)
		}
	}
	if !s.Unproven || s.Path != "/Users/ann/Library/LaunchAgents/nod.plist" {
		t.Errorf("%+v", s)
	}
}

// TestBuildTakesAGoThatCanBuild: /bin/sh would only say that go is not found, and a Go before 1.21 that go.mod is wrong.
func TestBuildTakesAGoThatCanBuild(t *testing.T) {
	old := filepath.Join(t.TempDir(), "go")
	if err := os.WriteFile(old, []byte("#!/bin/sh\n[ \"$1\" != env ] || echo go1.19.8\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]string{old + "-none": "PATH has none", old: "is go1.19.8"} {
		build := exec.Command("./build", filepath.Join(t.TempDir(), "nod"))
		build.Env = append(os.Environ(), "GO="+program)
		said, err := build.CombinedOutput()
		if err == nil || !strings.Contains(string(said), "Go 1.26 or newer") || !strings.Contains(string(said), want) {
			t.Errorf("with %s it ends with %v and says %q", program, err, said)
		}
	}
}
