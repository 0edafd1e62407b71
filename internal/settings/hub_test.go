package settings

import "testing"

func TestWhereAHubIsReached(t *testing.T) {
	for text, ok := range map[string]bool{
		":7443": true, "0.0.0.0:7443": true, "192.168.1.5:7443": true, "[::1]:7443": true, "7443": false, "hub.example.org:7443": false, ":0": false, ":http": false,
		":70000": false, "": false,
	} {
		if err := new(Listening).Decode(text); (err == nil) != ok {
			t.Errorf("NOD_HUB=%q: %v", text, err)
		}
	}
	for text, ok := range map[string]bool{
		"nats://127.0.0.1:4222": true, "tls://nats.example.org": true, "nats.example.org:4222": false, "https://nats.example.org": false,
		"nats://me:secret@nats.example.org": false, "nats://": false, "nats://a:1/x": false, "nats://a:1?x": false,
	} {
		if err := new(Servers).Decode(text); (err == nil) != ok {
			t.Errorf("NOD_NATS=%q: %v", text, err)
		}
	}
}
