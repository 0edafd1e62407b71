package settings

import (
	"os"
	"os/user"
	"path/filepath"
	"strconv"
)

// File returns the path of the settings file, which need not exist: NOD_CONFIG, else nod/nod.env in the
// user's configuration directory. It is empty if not even a home directory is known.
func File(env Environment) string {
	if path := env["NOD_CONFIG"]; path != "" {
		return path
	}
	return underHome(env, "XDG_CONFIG_HOME", ".config", "nod", "nod.env")
}

func defaultStateDir(env Environment) Path {
	return Path(underHome(env, "XDG_STATE_HOME", ".local/state", "nod"))
}

// defaultSocket returns the same path for the service and for the command line: a shell without
// XDG_RUNTIME_DIR (su, sudo, cron) still finds the directory that systemd makes.
func defaultSocket(env Environment, stateDir Path) Path {
	if dir := env["XDG_RUNTIME_DIR"]; filepath.IsAbs(dir) {
		return Path(filepath.Join(dir, "nod.sock"))
	}
	dir := filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return Path(filepath.Join(dir, "nod.sock"))
	}
	return Path(filepath.Join(string(stateDir), "nod.sock"))
}

// underHome joins elem to the directory in the variable, else to fallback in the home directory. It is empty if no home
// directory is known. A relative path counts as unset: https://specifications.freedesktop.org/basedir-spec
func underHome(env Environment, variable, fallback string, elem ...string) string {
	dir := env[variable]
	if !filepath.IsAbs(dir) {
		home := env["HOME"]
		if !filepath.IsAbs(home) {
			me, err := user.Current()
			if err != nil {
				return ""
			}
			home = me.HomeDir
		}
		dir = filepath.Join(home, fallback)
	}
	return filepath.Join(append([]string{dir}, elem...)...)
}
