package main

import (
	"strings"
	"testing"
	"time"

	"nod/cmd/internal/fleet/carrier"
)

// TestACodeNamesServersThatCanBeReached: on existing servers an address is one that NOD_NATS may name.
func TestACodeNamesServersThatCanBeReached(t *testing.T) {
	j := &joined{nats: "tls://nats.example.org:4222", carrier: carrier.New(carrier.Config{})}
	const wrong = "--address must be a NATS server"
	for _, address := range []string{"foo", "nats.example.org:4222", "https://nats.example.org", "tls://", "tls://ann:secret@nats.example.org", "tls://nats.example.org/x", "tls://a b"} {
		if _, err := j.controls().Invite(t.Context(), address, time.Minute); err == nil || !strings.HasPrefix(err.Error(), wrong) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"", "nats://10.0.0.4:4222"} {
		if _, err := j.controls().Invite(t.Context(), address, time.Minute); err == nil || strings.HasPrefix(err.Error(), wrong) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
