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

// Joined is what a joined machine keeps: who it is, and the one hub that it listens to.
type Joined struct {
	Name    string            `json:"name"`
	Keys    Keys              `json:"keys"`
	Hub     ed25519.PublicKey `json:"hub"`
	Address string            `json:"address"`
	Creds   string            `json:"creds,omitempty"` // the file of credentials for somebody else's NATS servers
}

// ErrNotJoined says that a machine is joined to no hub.
var ErrNotJoined = errors.New("this machine is joined to no hub: run `nod hub invite` where the bot runs, and here the `nod join` that it prints")

// File is where a joined machine keeps who it is: beside the settings file.
func File(settings string) string { return filepath.Join(filepath.Dir(settings), "join.json") }

// Read reads the file of a joined machine. What is damaged or open to others is an error: nothing is made in its place.
func Read(path string) (Joined, error) {
	var j Joined
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return j, ErrNotJoined
	}
	if err != nil {
		return j, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return j, fmt.Errorf("%s holds this machine's key and others may read it: run `chmod 600 %s`, and if they may have, join again", path, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return j, err
	}
	if err := json.Unmarshal(text, &j); err != nil || len(j.Keys.Seed) != 32 || len(j.Hub) != ed25519.PublicKeySize || j.Address == "" || NameFlaw(j.Name) != "" {
		return Joined{}, fmt.Errorf("%s is damaged: bring it back from a backup, or remove it and join again with a code of `nod hub invite`", path)
	}
	return j, nil
}

// Write keeps j.
func (j Joined) Write(path string) error {
	text, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return replace.Text(path, 0o600, append(text, '\n'))
}
