package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/join"
	"nod/cmd/internal/fleet/pipe"
	"nod/internal/testrun"
)

// TestAMachineJoins: an invite, a request, the same six digits at both ends, a yes, and frames cross.
func TestAMachineJoins(t *testing.T) {
	t.Parallel()
	hub := newHub(t, tempDir(t))
	j := wantsToJoin(t, hub.invite(), "gpu1", "", nil)
	waits := j.hubSays(join.Waits)
	wants := hub.admits("gpu1", true)
	if want := join.Digits(join.SumOf(j.request), waits.Nonce); wants.Digits != want {
		t.Errorf("the hub shows %s, the machine %s", wants.Digits, want)
	}
	edge := dials(t, j.joined(j.hubSays(join.In), ""))
	hub.up("gpu1")
	edge.up("")
	edge.send("", "seen")
	hub.hears("gpu1", "seen")
	hub.send("gpu1", "type")
	edge.hears("", "type")
	list := hub.call(carrier.Control{Machines: true}).Machines
	if len(list) != 1 || list[0] != "gpu1" {
		t.Errorf("the machines are %+v", list)
	}
}

// TestAnInviteWorksOnce: another machine with the same code is refused, before and after the owner's yes, and
// the yes does not admit it.
func TestAnInviteWorksOnce(t *testing.T) {
	t.Parallel()
	hub := newHub(t, tempDir(t))
	code := hub.invite()
	first := wantsToJoin(t, code, "gpu1", "", nil)
	first.hubSays(join.Waits)
	thief := wantsToJoin(t, code, "gpu2", "", nil)
	if r := thief.hubSays(join.Refused); !strings.Contains(r.Why, "works once") {
		t.Errorf("another machine hears: %q", r.Why)
	}
	thief.close()
	hub.admits("gpu1", true)
	// Two connections use the key of one invite: the later one ends the earlier, which reconnects.
	first.hubSays(join.In)
	late := wantsToJoin(t, code, "gpu3", "", nil)
	if r := late.hubSays(join.Refused); !strings.Contains(r.Why, "works once") {
		t.Errorf("one more hears: %q", r.Why)
	}
	if list := hub.call(carrier.Control{Machines: true}).Machines; len(list) != 1 || list[0] != "gpu1" {
		t.Errorf("joined are %+v", list)
	}
}

func TestAnInviteThatIsTooOldIsRefused(t *testing.T) {
	t.Parallel()
	hub := newHub(t, tempDir(t))
	j := wantsToJoin(t, hub.inviteFor(-time.Second), "gpu1", "", nil)
	if r := j.hubSays(join.Refused); !strings.Contains(r.Why, "too old") {
		t.Errorf("it hears: %q", r.Why)
	}
}

// TestACodeOfNoInviteLetsNobodyIn: the server refuses the connection itself.
func TestACodeOfNoInviteLetsNobodyIn(t *testing.T) {
	t.Parallel()
	hub := newHub(t, tempDir(t))
	code := hub.invite()
	j := wantsToJoin(t, join.NewCode(code.Address, code.Hub), "gpu1", "", nil)
	if says := j.trouble("hub"); !strings.Contains(says, "does not know this machine or its code") {
		t.Errorf("it hears: %q", says)
	}
}

// TestNothingIsSaidToAnotherHub: a server without the key in the code is told nothing.
func TestNothingIsSaidToAnotherHub(t *testing.T) {
	t.Parallel()
	hub := newHub(t, tempDir(t))
	other := newHub(t, tempDir(t))
	code, theirs := hub.invite(), other.invite()
	code.Address = theirs.Address
	j := wantsToJoin(t, code, "gpu1", "", nil)
	if says := j.trouble("hub"); !strings.Contains(says, "another hub answers") {
		t.Errorf("it hears: %q", says)
	}
}

// TestACodeNamesAnAddressThatCanBeReached: one that no machine can dial is refused when the code is made, not
// by the machine that gets it.
func TestACodeNamesAnAddressThatCanBeReached(t *testing.T) {
	t.Parallel()
	hub := newHub(t, tempDir(t))
	hub.invite()
	for _, address := range []string{"foo", "foo:0", "foo:70000", "foo:http", ":7443", "0.0.0.0:7443", "[::]:7443", "a b:7443", "ann@foo:7443", "foo:7443,bar:7443", "https://foo:7443", "foo/bar:7443"} {
		done := hub.call(carrier.Control{Invite: &carrier.Invite{Address: address, For: time.Minute}})
		if done.Code != "" || !strings.Contains(done.Refused, "HOST:PORT") {
			t.Errorf("%s: %+v", address, done)
		}
	}
	for _, address := range []string{"hub.example.org:7443", "hub_1:7443", "192.0.2.4:1", "[2001:db8::1]:7443", "[fe80::1%eth0]:7443", "localhost:7443"} {
		done := hub.call(carrier.Control{Invite: &carrier.Invite{Address: address, For: time.Minute}})
		if done.Code == "" || done.Address != address {
			t.Errorf("%s: %+v", address, done)
		}
	}
}

func TestTheOwnerRefuses(t *testing.T) {
	t.Parallel()
	hub := newHub(t, tempDir(t))
	j := wantsToJoin(t, hub.invite(), "gpu1", "", nil)
	hub.admits("gpu1", false)
	if r := j.hubSays(join.Refused); !strings.Contains(r.Why, "owner") {
		t.Errorf("it hears: %q", r.Why)
	}
	if list := hub.call(carrier.Control{Machines: true}).Machines; len(list) != 0 {
		t.Errorf("joined are %+v", list)
	}
}

func TestANameThatIsTakenIsRefused(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	h := begin(t, carrier.Control{Serve: &carrier.Serve{Dir: dir, Listen: "127.0.0.1:0", Taken: []string{"dev"}}})
	h.ready()
	joins(t, h, "gpu1", "")
	tried := 0
	for name, want := range map[string]string{"gpu1": "nod machines forget gpu1", "dev": "NOD_MACHINES", "Dev": "NOD_MACHINES", "GPU1": "that has joined", "-oProxyCommand=x": "begins with a letter"} {
		tried++
		code := h.invite()
		j := wantsToJoin(t, code, name, "", nil)
		if r := j.hubSays(join.Refused); !strings.Contains(r.Why, want) {
			t.Errorf("%s hears: %q", name, r.Why)
		}
		j.close()
		again := wantsToJoin(t, code, fmt.Sprint("other", tried), "", nil) // that does not use up the code
		again.hubSays(join.Waits)
		again.close()
	}
}

// TestKeysAreRenewedByJoiningAgain: under the same name, proven by the old keys, which become invalid.
func TestKeysAreRenewedByJoiningAgain(t *testing.T) {
	t.Parallel()
	hub := newHub(t, tempDir(t))
	old := joins(t, hub, "gpu1", "")
	before := dials(t, old)
	hub.up("gpu1")
	j := wantsToJoin(t, hub.invite(), "gpu1", "", &old.Keys)
	if wants := hub.admits("gpu1", true); !wants.Renews {
		t.Error("the owner is not told that the machine is joined already")
	}
	renewed := j.joined(j.hubSays(join.In), "")
	if says := before.trouble("hub"); !strings.Contains(says, "forgotten") && !strings.Contains(says, "can't be reached") {
		t.Errorf("with the old keys: %q", says)
	}
	before.close()
	after := dials(t, renewed)
	hub.up("gpu1")
	after.send("", "with new keys")
	hub.hears("gpu1", "with new keys")
	if list := hub.call(carrier.Control{Machines: true}).Machines; len(list) != 1 {
		t.Errorf("joined are %+v", list)
	}
}

// TestForgettingCutsTheLiveConnection: at once, and the machine can't reconnect.
func TestForgettingCutsTheLiveConnection(t *testing.T) {
	testrun.InFull(t)
	t.Parallel()
	hub := newHub(t, tempDir(t))
	one, two := joins(t, hub, "gpu1", ""), joins(t, hub, "gpu2", "")
	first, second := dials(t, one), dials(t, two)
	first.up("")
	second.up("")
	if done := hub.call(carrier.Control{Forget: "gpu1"}); done.Refused != "" {
		t.Fatal(done.Refused)
	}
	first.down("")
	first.until("that it was forgotten", func(c carrier.Control, _ pipe.Message) bool {
		return c.Trouble != nil && strings.Contains(c.Trouble.Says, "forgotten")
	})
	first.send("", "still here")
	second.send("", "and I")
	hub.hears("gpu2", "and I")
	hub.hearsNothing(time.Second)
	if done := hub.call(carrier.Control{Forget: "gpu1"}); !strings.Contains(done.Refused, "No machine called gpu1") {
		t.Errorf("once more: %+v", done)
	}
}

// TestAHubsKeyIsNeverMadeAnewInSilence: it is not made at a start, or if its file is damaged or readable by
// others; only by an invite, which says so.
func TestAHubsKeyIsNeverMadeAnewInSilence(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	hub := newHub(t, dir)
	if _, err := os.Stat(filepath.Join(dir, "hub.json")); err == nil {
		t.Error("a hub without machines has a key")
	}
	if done := hub.call(carrier.Control{Invite: &carrier.Invite{For: time.Minute}}); !done.New || done.Refused != "" {
		t.Errorf("the first invite: %+v", done)
	}
	if done := hub.call(carrier.Control{Invite: &carrier.Invite{For: time.Minute}}); done.New {
		t.Errorf("the second invite: %+v", done)
	}
	hub.close()
	path := filepath.Join(dir, "hub.json")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, spoil := range map[string]func() error{
		"cut":            func() error { return os.WriteFile(path, whole[:len(whole)/2], 0o600) },
		"empty":          func() error { return os.WriteFile(path, nil, 0o600) },
		"open to others": func() error { return os.Chmod(path, 0o644) },
	} {
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		spoilt, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		h := begin(t, carrier.Control{Serve: &carrier.Serve{Dir: dir, Listen: "127.0.0.1:0"}})
		if says := h.trouble("hub"); !strings.Contains(says, path) {
			t.Errorf("%s: %q", what, says)
		}
		h.close()
		if now, err := os.ReadFile(path); err != nil || string(now) != string(spoilt) {
			t.Errorf("%s: the file was changed", what)
		}
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheHubKeepsNoSecretOfAnInvite: nobody can join with the files in its folder.
func TestTheHubKeepsNoSecretOfAnInvite(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	hub := newHub(t, dir)
	code := hub.invite()
	text, err := os.ReadFile(filepath.Join(dir, "hub.json"))
	if err != nil {
		t.Fatal(err)
	}
	seed, err := json.Marshal(code.Keys().Seed)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), strings.Trim(string(seed), `"`)) || strings.Contains(string(text), code.String()) {
		t.Error("the hub keeps the invite's secret")
	}
	if info, err := os.Stat(filepath.Join(dir, "hub.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestAConnectionIsOneLink: an edge that greeted twice would lose frames sent in between, and would send its
// whole state again.
func TestAConnectionIsOneLink(t *testing.T) {
	t.Parallel()
	hub := newHub(t, tempDir(t))
	gpu := joins(t, hub, "gpu1", "")
	for range 10 {
		edge := dials(t, gpu)
		edge.up("")
		if c, _, turned := edge.within(20*time.Millisecond, func(c carrier.Control, _ pipe.Message) bool { return c.Link != nil }); turned {
			t.Errorf("the link of one connection turned: %+v", c.Link)
		}
		edge.close()
	}
}
