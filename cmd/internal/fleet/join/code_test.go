package join

import (
	"bytes"
	"strings"
	"testing"
)

func TestACodeComesBack(t *testing.T) {
	hub := NewKeys()
	for _, address := range []string{"192.168.1.5:7443", "[2001:db8::1]:7443", "hub.example.org:443", "tls://nats.example.org:4222"} {
		code := NewCode(address, Pin(hub.Public().Signer))
		got, err := ParseCode("  " + strings.ToUpper(code.String()) + "\n")
		if err != nil {
			t.Fatalf("%s: %v", code, err)
		}
		if got.Address != address || !bytes.Equal(got.Hub, code.Hub) || got.Keys().Public().ID() != code.Keys().Public().ID() {
			t.Errorf("%s came back as %+v, want %+v", code, got, code)
		}
	}
}

func TestADamagedCodeIsNone(t *testing.T) {
	code := NewCode("192.168.1.5:7443", Pin(NewKeys().Public().Signer)).String()
	for i := range code {
		other := byte('a')
		if code[i] == other {
			other = 'b'
		}
		if got, err := ParseCode(code[:i] + string(other) + code[i+1:]); err == nil {
			t.Errorf("letter %d changed: read as %+v", i, got)
		}
		if _, err := ParseCode(code[:i]); err == nil {
			t.Errorf("cut after %d letters: taken", i)
		}
	}
	if _, err := ParseCode("nod2-aaaa"); err == nil || !strings.Contains(err.Error(), "another release") {
		t.Errorf("a code of a later release: %v", err)
	}
}

// TestTheHubKeepsNothingThatJoins: the hub stores only the public half of an invite.
func TestTheHubKeepsNothingThatJoins(t *testing.T) {
	one, two := NewCode("a:1", make([]byte, PinSize)), NewCode("a:1", make([]byte, PinSize))
	if bytes.Equal(one.Keys().Seed, two.Keys().Seed) || one.Keys().Public().ID() == two.Keys().Public().ID() {
		t.Error("two invites have the same keys")
	}
	k := one.Keys()
	if bytes.Contains(k.Seed, one.secret) || bytes.Equal(k.Carrier(), k.Signer().Seed()) {
		t.Error("one key reveals another")
	}
}

func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"gpu1": true, "laptop-2": true, "a.example.org": true, "": false, "-o": false, ".x": false, "a b": false, "a:b": false, "ä": false,
		strings.Repeat("x", 40): true, strings.Repeat("x", 41): false, "a\n": false, "a/b": false, "a*": false, "a>": false,
	} {
		if got := NameFlaw(name) == ""; got != ok {
			t.Errorf("%q may be a name: %t", name, got)
		}
	}
}

func FuzzParseCode(f *testing.F) {
	f.Add(NewCode("192.168.1.5:7443", make([]byte, PinSize)).String())
	f.Fuzz(func(t *testing.T, text string) {
		code, err := ParseCode(text)
		if err != nil {
			return
		}
		if again, err := ParseCode(code.String()); err != nil || again.Address != code.Address {
			t.Errorf("%q is read as %+v, and that as %+v, %v", text, code, again, err)
		}
	})
}
