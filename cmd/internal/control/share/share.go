// Package share reads the files that are brought to the chat, and refuses what must not leave the machine.
package share

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"nod/internal/text/redact"
)

// MaxSize is how large a file may be, in bytes: what Telegram shows as a photo.
const MaxSize = 10 << 20

// File is one that may be sent.
type File struct {
	Path string // absolute, without a link
	Data []byte
}

// Name is what the file is called.
func (f File) Name() string { return filepath.Base(f.Path) }

// Sum names the content, for whoever was told of the file and lets it go later.
func (f File) Sum() string {
	sum := sha256.Sum256(f.Data)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Read reads the file at path, which is absolute, if it may be sent: a regular one, no link, below one of the folders, of 10 MB at
// most, and with masking without anything that looks like a secret. The error is a sentence that names the file.
func Read(path string, below []string, masking bool) (File, error) {
	refuse := func(format string, args ...any) (File, error) {
		return File{}, fmt.Errorf("%s %s", path, fmt.Sprintf(format, args...))
	}
	path = filepath.Clean(path)
	real, err := filepath.EvalSymlinks(path)
	switch {
	case err != nil:
		return refuse("can't be read: %v", reasonOf(err))
	case real != path:
		return refuse("is a link, or lies behind one: name the file itself, %s", real)
	}
	folder := folderOf(path, below)
	if folder == "" {
		return refuse("lies in no project of an agent that nod watches")
	}
	// Nothing that is put in its way from now on leads out of the project.
	root, err := os.OpenRoot(folder)
	if err != nil {
		return refuse("can't be read: %v", reasonOf(err))
	}
	defer root.Close()
	f, err := root.OpenFile(path[len(folder)+1:], os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return refuse("can't be read: %v", reasonOf(err))
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return refuse("can't be read: %v", reasonOf(err))
	case !info.Mode().IsRegular():
		return refuse("is no ordinary file")
	case info.Size() > MaxSize:
		return refuse("is larger than 10 MB")
	case info.Size() == 0:
		return refuse("is empty")
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	switch {
	case err != nil:
		return refuse("can't be read: %v", reasonOf(err))
	case len(data) > MaxSize:
		return refuse("is larger than 10 MB")
	case masking && utf8.Valid(data) && redact.Mask(string(data)) != string(data):
		return refuse("holds what looks like a secret, or is too long a text to be looked through for one")
	}
	return File{Path: path, Data: data}, nil
}

// folderOf is the folder that a path lies in, without a link; empty: none of them.
func folderOf(path string, folders []string) string {
	for _, folder := range folders {
		if real, err := filepath.EvalSymlinks(folder); err == nil && real != "/" && strings.HasPrefix(path, real+"/") {
			return real
		}
	}
	return ""
}

// reasonOf is an error of the file system without the path, which the sentence names already.
func reasonOf(err error) error {
	if failed := (*os.PathError)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// ProjectOf is the folder that a pane's folder belongs to: the top of its git checkout, else itself. The person's home and what lies
// above it is no project.
func ProjectOf(folder, home string) string {
	for top := folder; len(top) > 1; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil && top != home {
			return top
		}
	}
	if folder == "/" || folder == home || strings.HasPrefix(home+"/", folder+"/") {
		return ""
	}
	return folder
}
