package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folderIn finds the named folder within one of the roots, with symbolic links followed. The name may begin
// with ~, be absolute, or be relative to a root.
func folderIn(roots []string, name string) (string, error) {
	if len(roots) == 0 {
		return "", errors.New("starting agents from the chat is off; to turn it on, name folders in nod.env on the machine that is to run them, as in NOD_LAUNCH=~/src")
	}
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the home folder: %w", err)
		}
		name = filepath.Join(home, rest)
	}
	candidates := []string{name}
	if !filepath.IsAbs(name) {
		candidates = nil
		for _, root := range roots {
			candidates = append(candidates, filepath.Join(root, name))
		}
	}
	for _, path := range candidates {
		path, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		info, err := os.Stat(path)
		if err == nil && info.IsDir() && slices.ContainsFunc(roots, func(root string) bool { return inside(root, path) }) {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no folder %q within %s", name, strings.Join(roots, ", "))
}

// inside reports whether path, which has no symbolic links, is a root or below it.
func inside(root, path string) bool {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	below, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(below)
}
