package detect

import "path/filepath"

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
			return filepath.Base(path)
		}
		p.path, p.name = path, name
	}
	return p.name
}
