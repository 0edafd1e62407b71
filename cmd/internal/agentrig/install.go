//go:build agents

package agentrig

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// CacheDir is where agents are installed: $NOD_AGENT_CACHE, else nod-agents in the user's cache.
func CacheDir() (string, error) {
	if dir := os.Getenv("NOD_AGENT_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for agents (NOD_AGENT_CACHE names one): %w", err)
	}
	return filepath.Join(dir, "nod-agents"), nil
}

// Install installs a from npm, once for every version, and returns its folder. Install scripts do
// not run. Several processes may call it at once.
func Install(ctx context.Context, a Agent) (string, error) {
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, a.String())
	for _, p := range a.packages {
		if err := installPackage(ctx, filepath.Join(dir, p.folder), p); err != nil {
			return "", fmt.Errorf("install %s: %w", a, err)
		}
	}
	return dir, nil
}

// installPackage installs p into dir unless it is there. The mark is written last, so an install
// that was cut off is done again.
func installPackage(ctx context.Context, dir string, p npmPackage) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(dir, ".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	mark := filepath.Join(dir, ".installed")
	if have, err := os.ReadFile(mark); err == nil && string(have) == p.String() {
		return nil
	}
	fmt.Fprintf(os.Stderr, "installing %s from npm, which takes up to a minute\n", p)
	manifest := filepath.Join(dir, "package.json")
	if err := os.WriteFile(manifest, []byte(`{"private": true}`+"\n"), 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--ignore-scripts",
		"--no-audit", "--no-fund", "--loglevel=error", p.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install %s: %w: %s", p, err, strings.TrimSpace(string(out)))
	}
	return os.WriteFile(mark, []byte(p.String()), 0o644)
}

// lock waits until this process alone holds the file at path. The kernel lets go of it when the
// process ends, however that happens.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}
