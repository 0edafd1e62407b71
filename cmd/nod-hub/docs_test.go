package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/pipe"
)

// documented are the permissions for users of NATS servers in docs/machines-nats.md.
func documented(t *testing.T, user string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/machines-nats.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`nsc add user ` + user + ` \\\n +--allow-pub '(.*)' \\\n +--allow-sub '(.*)'\n`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("nothing is said of %s", user)
	}
	list := func(subjects []byte) string { return `["` + strings.ReplaceAll(string(subjects), ",", `", "`) + `"]` }
	return fmt.Sprintf("{ user: %s, password: p, permissions: { publish: { allow: %s }, subscribe: { allow: %s } } }", user, list(found[1]), list(found[2]))
}

// TestWhatTheDocsHaveAllowedIsEnough: with exactly these permissions a machine joins, frames cross, its state
// is stored and known at the next start, and it is forgotten.
func TestWhatTheDocsHaveAllowedIsEnough(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "server.conf")
	users := documented(t, "nod-hub") + ", " + documented(t, "nod-edge") + ", { user: owner, password: p }"
	if err := os.WriteFile(config, []byte("authorization { users: ["+users+"] }"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newCluster(t, "-c", config)
	asEdge := "nats://nod-edge:p@" + c.address
	c.user = "nod-hub:p@"
	dir := tempDir(t)
	hub := c.hub(dir)
	code := hub.invite()
	code.Address = asEdge
	j := wantsToJoin(t, code, "gpu1", "", nil)
	hub.admits("gpu1", true)
	edge := dials(t, j.joined(j.hubSays("in"), ""))
	hub.up("gpu1")
	edge.send("", "seen")
	hub.hears("gpu1", "seen")
	hub.send("gpu1", "type")
	edge.hears("", "type")
	c.user = "owner:p@"
	keeps(t, hub, c)
	c.user = "nod-hub:p@"
	hub.close()
	refusesNothing(t, hub)

	hub = c.hub(dir)
	kept, _ := hub.until("what was kept", func(c carrier.Control, _ pipe.Message) bool { return c.Kept != nil })
	if kept.Kept.Machine != "gpu1" || string(kept.Kept.State) != `{"agents":2}` {
		t.Errorf("kept was %+v", kept.Kept)
	}
	hub.call(carrier.Control{Forget: "gpu1"})
	hub.close()
	hub = c.hub(dir)
	hub.call(carrier.Control{Machines: true})
	hub.close()
	refusesNothing(t, hub)
}

// refusesNothing fails if a server that has ended has refused anything.
func refusesNothing(t *testing.T, hub *end) {
	t.Helper()
	hub.within(patience, func(carrier.Control, pipe.Message) bool { return false })
	for _, line := range hub.logs {
		t.Errorf("the hub says: %s", line)
	}
}
