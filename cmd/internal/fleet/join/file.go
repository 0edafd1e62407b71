package join

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"nod/internal/host/replace"
)

// Joined is what a joined machine stores: its own keys, and the one hub that it obeys.
type Joined struct {
	Name    string            `json:"name"`
	Keys    Keys              `json:"keys"`
	Hub     ed25519.PublicKey `json:"hub"`
	Address string            `json:"address"`
	Creds   string            `json:"creds,omitempty"` // the file with the credentials for NATS servers of somebody else
}

// ErrNotJoined says that a machine has not joined a hub.
var ErrNotJoined = errors.New("this machine is joined to no hub: run `nod hub invite` where the bot runs, and here the `nod join` that it prints")

// File returns the path of a joined machine's file, which is beside the settings file.
func File(settings string) string { return filepath.Join(filepath.Dir(settings), "join.json") }

// Read reads the file of a joined machine.
func Read(path string) (j Joined, err error) {
	err = Kept(path, &j, "this machine's", "remove it and join again with a code of `nod hub invite`", func() bool {
		return len(j.Keys.Seed) == 32 && len(j.Hub) == ed25519.PublicKeySize && j.Address != "" && NameFlaw(j.Name) == ""
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNotJoined
	}
	return j, err
}

// Write writes j to its file.
func (j Joined) Write(path string) error { return Keep(path, j) }

// Kept reads a file that Keep wrote into v. whose says whose key it contains, and otherwise what to do if the
// key is lost or known to others. A file that is damaged or readable by others is an error: no new one takes
// its place.
func Kept(path string, v any, whose, otherwise string, sound func() bool) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s holds %s key and others may read it: run `chmod 600 %s`, and if they may have, %s", path, whose, path, otherwise)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil || !sound() {
		return fmt.Errorf("%s is damaged: bring it back from a backup, or %s", path, otherwise)
	}
	return nil
}

// Keep writes v, which contains a key, to a file that only its owner can read.
func Keep(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return replace.Text(path, 0o600, append(text, '\n'))
}
