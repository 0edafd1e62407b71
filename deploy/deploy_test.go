package deploy

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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

// A user unit with one of these starts on some systemd versions and finds no tmux socket, no agent or
// not the settings that the command line sees.
func TestUnitHidesNothingThatNodNeeds(t *testing.T) {
	unit := directives(Unit)
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
	unit := directives(Unit)
	for key, want := range map[string]string{
		"Type": "notify", "RestartPreventExitStatus": "78", "Restart": "on-failure",
		"UMask": "0077", "LimitCORE": "0",
	} {
		if got := unit[key]; len(got) != 1 || got[0] != want {
			t.Errorf("%s = %q, want %q", key, got, want)
		}
	}
}

// systemd only warns of a key that it does not know, so its silence is what is asked for.
func TestUnitVerifies(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "nod")
	if err := os.WriteFile(bin, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	unit := strings.Replace(Unit, "%h/.local/bin/nod", bin, 1)
	path := filepath.Join(dir, "nod.service")
	if err := os.WriteFile(path, []byte(unit), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(analyze, "verify", "--user", "--man=no", path)
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, stderr.String())
	}
}
