// Package share reads files for the chat, and refuses those that must not leave the machine.
package share

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf16"
	"unicode/utf8"

	"nod/internal/text/redact"
)

// MaxSize is the largest size of a file in bytes: Telegram's limit for photos.
const MaxSize = 10 << 20

// File is a file that may be sent.
type File struct {
	Path string // absolute, without links
	Data []byte
}

// Name returns the file's base name.
func (f File) Name() string { return filepath.Base(f.Path) }

// Sum identifies the content, to detect a change between a wish and its approval.
func (f File) Sum() string {
	sum := sha256.Sum256(f.Data)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Read reads the file at the absolute path, if it may be sent: a regular file, no link, below one of the
// folders, at most 10 MB, and with masking free of anything that looks like a secret. The error is a sentence
// that names the file.
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
	// With an os.Root no later change of the path can lead out of the project.
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
	text := textOf(data)
	switch {
	case err != nil:
		return refuse("can't be read: %v", reasonOf(err))
	case len(data) > MaxSize:
		return refuse("is larger than 10 MB")
	case masking && redact.Mask(text) != text:
		return refuse("holds what looks like a secret, or is too long a text to be looked through for one")
	}
	return File{Path: path, Data: data}, nil
}

// textOf returns the text of a file, in whatever encoding; empty if it is no text.
func textOf(data []byte) string {
	order := map[string]binary.ByteOrder{"\xff\xfe": binary.LittleEndian, "\xfe\xff": binary.BigEndian}[string(data[:min(len(data), 2)])]
	switch {
	case utf8.Valid(data):
		return string(data)
	case order != nil:
		units := make([]uint16, len(data)/2)
		for i := range units {
			units[i] = order.Uint16(data[2*i:])
		}
		return string(utf16.Decode(units))
	case bytes.IndexByte(data, 0) < 0: // of one byte a character
		return strings.ToValidUTF8(string(data), "\ufffd")
	}
	return ""
}

// folderOf returns the folder, with links resolved, that contains path; empty if none does.
func folderOf(path string, folders []string) string {
	for _, folder := range folders {
		if real, err := filepath.EvalSymlinks(folder); err == nil && strings.HasPrefix(path, real+"/") {
			return real
		}
	}
	return ""
}

// reasonOf returns a file system error without its path, which the sentence already names.
func reasonOf(err error) error {
	if failed := (*os.PathError)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// ProjectOf returns the project folder of a pane's folder: the top of its git checkout, else the folder
// itself. The person's home and the folders above it are no projects.
func ProjectOf(folder, home string) string {
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real // as a pane's folder is
	}
	holdsHome := func(folder string) bool { return folder == "/" || strings.HasPrefix(home+"/", folder+"/") }
	for top := folder; len(top) > 1; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil && !holdsHome(top) {
			return top
		}
	}
	if holdsHome(folder) {
		return ""
	}
	return folder
}
