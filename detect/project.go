package detect

import (
	"os"
	"path/filepath"
)

// project finds a path's project once, since a pane's path seldom changes.
type project struct {
	path, name string
}

// of is the base name of the git top level that path lies in, else of path itself.
func (p *project) of(path string) string {
	if p.path != path || p.name == "" {
		p.path, p.name = path, projectName(path)
	}
	return p.name
}

func projectName(path string) string {
	if path == "" {
		return ""
	}
	for dir := path; ; dir = filepath.Dir(dir) {
		// A directory, or in worktrees and submodules a file.
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return filepath.Base(dir)
		}
		if dir == filepath.Dir(dir) {
			return filepath.Base(path)
		}
	}
}
