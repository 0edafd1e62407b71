package detect

import (
	"path/filepath"
	"strings"
)

// FolderName is the project that a folder is called by: its base name. It holds no colon, which is behind the name of another machine.
func FolderName(folder string) string { return strings.ReplaceAll(filepath.Base(folder), ":", "_") }

// project is the project of a pane's path, which seldom changes.
type project struct {
	path, name string
}

// of is the base name of the git top level that path lies in, else of path itself. While the disk does not answer
// it is the latter.
func (p *project) of(path string, files *fileQuestions) string {
	if path == "" {
		return ""
	}
	if p.path != path {
		name, ok := files.project(path)
		if !ok {
			return FolderName(path)
		}
		p.path, p.name = path, name
	}
	return p.name
}
