// Package attach stores the files that supervisors send for an agent, and transcribes voice messages with a
// program of theirs.
package attach

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"nod/internal/host/ansi"
	"nod/internal/text/lazy"
)

// The limits.
const (
	MaxSize   = 20 << 20 // bytes; the most that Telegram gives a bot
	kept      = 7 * 24 * time.Hour
	maxWords  = 16 << 10 // bytes of a transcript
	writeDown = 60 * time.Second
)

// ours matches nod's file names. They begin with the time, so that no name chosen by somebody else is in a
// path that an agent reads.
var ours = lazy.MustCompile(`^\d{8}-\d{6}-[0-9a-f]{8}(\.[a-z0-9]{1,5})?$`)

var plainEnding = lazy.MustCompile(`^\.[a-z0-9]{1,5}$`)

// Keep writes data into dir, for its owner alone, under a name that nod chooses, and returns the path. called
// is the name that somebody else gave the file; only a plain extension of it is kept. Keep also deletes files
// older than a week.
func Keep(dir, called string, data []byte) (path string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the folder for files: %w", err)
	}
	sweep(dir, time.Now())
	var random [4]byte
	rand.Read(random[:]) // it never fails
	ending := strings.ToLower(filepath.Ext(called))
	if !plainEnding().MatchString(ending) {
		ending = ""
	}
	path = filepath.Join(dir, time.Now().UTC().Format("20060102-150405")+"-"+hex.EncodeToString(random[:])+ending)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("keep the file: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // a part of the file is of no use
		return "", fmt.Errorf("keep the file: %w", err)
	}
	return path, nil
}

// sweep deletes nod's files that are older than a week.
func sweep(dir string, now time.Time) {
	entries, _ := os.ReadDir(dir) // unreadable files are tried next time
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && ours().MatchString(e.Name()) && now.Sub(info.ModTime()) > kept {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// WriteDown transcribes a voice message with a program: command plus the path of a temporary file, without a
// shell, without nod's settings in its environment, within a minute. The words are on one line.
func WriteDown(ctx context.Context, command []string, dir string, voice []byte) (words string, err error) {
	path, err := Keep(dir, "voice.oga", voice)
	if err != nil {
		return "", err
	}
	defer os.Remove(path)
	ctx, cancel := context.WithTimeout(ctx, writeDown)
	defer cancel()
	program := exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], path)...)
	program.Env = withoutSettings(os.Environ())
	program.WaitDelay = time.Second
	out := bounded{limit: maxWords}
	program.Stdout = &out
	err = program.Run()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s took longer than a minute", filepath.Base(command[0]))
	case err != nil:
		return "", fmt.Errorf("%s failed: %w", filepath.Base(command[0]), err)
	}
	words = strings.Join(strings.Fields(ansi.Harmless(out.taken.String())), " ")
	if words == "" {
		return "", fmt.Errorf("%s found no words in it", filepath.Base(command[0]))
	}
	return words, nil
}

// withoutSettings removes nod's settings from an environment, above all the token.
func withoutSettings(environment []string) (left []string) {
	for _, v := range environment {
		if !strings.HasPrefix(v, "NOD_") {
			left = append(left, v)
		}
	}
	return left
}

// bounded keeps a program's output up to a limit and drops the rest.
type bounded struct {
	taken bytes.Buffer
	limit int
}

// Write never fails, so that a program which prints too much still succeeds.
func (b *bounded) Write(p []byte) (int, error) {
	b.taken.Write(p[:min(len(p), b.limit-b.taken.Len())])
	return len(p), nil
}
