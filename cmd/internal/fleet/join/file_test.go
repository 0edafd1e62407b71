package join

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestTheFileOfAJoinedMachine(t *testing.T) {
	path := File(filepath.Join(t.TempDir(), "nod", "nod.env"))
	if _, err := Read(path); !errors.Is(err, ErrNotJoined) {
		t.Fatalf("nothing there: %v", err)
	}
	want := Joined{Name: "gpu1", Keys: NewKeys(), Hub: NewKeys().Public().Signer, Address: "10.0.0.1:7443"}
	if err := want.Write(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if got, err := Read(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestAnIdentityIsNeverMadeAnewInSilence: a file that can't be read, or that others can read, is reported and
// left as it is.
func TestAnIdentityIsNeverMadeAnewInSilence(t *testing.T) {
	path := filepath.Join(t.TempDir(), "join.json")
	whole := Joined{Name: "gpu1", Keys: NewKeys(), Hub: NewKeys().Public().Signer, Address: "10.0.0.1:7443"}
	if err := whole.Write(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(text) - 2 { // without its last brace it is invalid JSON
		if err := os.WriteFile(path, text[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if j, err := Read(path); err == nil || errors.Is(err, ErrNotJoined) {
			t.Fatalf("cut to %d bytes: %+v, %v", n, j, err)
		}
	}
	if err := errors.Join(os.WriteFile(path, text, 0o600), os.Chmod(path, 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || errors.Is(err, ErrNotJoined) {
		t.Errorf("open to others: %v", err)
	}
}
