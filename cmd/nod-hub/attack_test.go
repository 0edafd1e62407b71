package main

import (
	"bytes"
	"crypto/tls"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/join"
	"nod/internal/testrun"
)

// rogue is a connection with a joined machine's own keys, used by a program of an attacker.
func rogue(t *testing.T, address string, pin []byte, keys join.Keys) (*nats.Conn, *[]error, *sync.Mutex) {
	t.Helper()
	proof, err := nkey(keys)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var denied []error
	nc, err := nats.Connect("tls://"+address, proof, nats.Secure(pinned(pin)), nats.TLSHandshakeFirst(), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		mu.Lock()
		denied = append(denied, err)
		mu.Unlock()
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc, &denied, &mu
}

// TestAnEdgeMayOnlyUseItsOwnSubjects: the server refuses to publish to and to hear any other one.
func TestAnEdgeMayOnlyUseItsOwnSubjects(t *testing.T) {
	t.Parallel()
	hub := newHub(t, tempDir(t))
	mine, other := joins(t, hub, "gpu1", ""), joins(t, hub, "gpu2", "")
	victim := dials(t, other)
	victim.up("")
	pin := join.Pin(mine.Hub)
	s, me, them := subjectsOf(pin), mine.Keys.Public().ID(), other.Keys.Public().ID()
	nc, denied, mu := rogue(t, mine.Address, pin, mine.Keys)
	count := func() int {
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		if _, err := nc.RTT(); err != nil { // the server's response to a message comes before this
			t.Fatal(err)
		}
		mu.Lock()
		defer mu.Unlock()
		return len(*denied)
	}
	until := func(n int) bool {
		for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(5 * time.Millisecond) { // errors arrive on a goroutine of the client
			if count() >= n {
				return true
			}
		}
		return false
	}
	n := 0
	for _, subject := range []string{
		s.up(them), s.down(them), s.down(me), s.join("x"), s.joined("x"), s.inbox() + ".x", "_INBOX.x", "$JS.API.INFO", "$JS.API.STREAM.LIST",
		"$JS.API.STREAM.DELETE.KV_" + bucket, "$KV." + bucket + "." + s.hub() + "." + them, "$SYS.REQ.SERVER.PING", "anything", s.up(me) + ".x",
	} {
		if err := nc.PublishRequest(subject, s.up(me), []byte("x")); err != nil {
			t.Fatal(err)
		}
		if n++; !until(n) {
			t.Errorf("it may publish to %s", subject)
			n--
		}
	}
	for _, subject := range []string{
		s.down(them), s.up(me), s.up("*"), s.down("*"), s.down(">"), string(s) + ">", ">", "_INBOX.>", s.inbox() + ".>", "$JS.API.>", "$JS.>", "$KV.>", "$SYS.>",
	} {
		if _, err := nc.Subscribe(subject, func(m *nats.Msg) { t.Errorf("it heard %s", m.Subject) }); err != nil {
			t.Fatal(err)
		}
		if n++; !until(n) {
			t.Errorf("it may hear %s", subject)
			n--
		}
	}
	// An edge may hear the frames sent to it, whoever else listens there.
	hub.send("gpu2", "secret of gpu2")
	victim.hears("", "secret of gpu2")
	if n != count() {
		t.Errorf("%d were refused, want %d", count(), n)
	}
}

// TestNobodyComesInWithoutAKey: not with a name, a password, another key, or without TLS.
func TestNobodyComesInWithoutAKey(t *testing.T) {
	t.Parallel()
	hub := newHub(t, tempDir(t))
	address := hub.invite().Address
	stranger, err := nkey(join.NewKeys())
	if err != nil {
		t.Fatal(err)
	}
	trusting := &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true}
	for what, options := range map[string][]nats.Option{
		"nothing":     {nats.Secure(trusting), nats.TLSHandshakeFirst()},
		"a name":      {nats.Secure(trusting), nats.TLSHandshakeFirst(), nats.UserInfo("nod", "")},
		"a token":     {nats.Secure(trusting), nats.TLSHandshakeFirst(), nats.Token("nod")},
		"another key": {nats.Secure(trusting), nats.TLSHandshakeFirst(), stranger},
		"a later TLS": {nats.Secure(trusting), stranger},
		"no TLS":      {stranger},
		"TLS 1.2":     {nats.Secure(&tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12}), nats.TLSHandshakeFirst(), stranger},
	} {
		if nc, err := nats.Connect("nats://"+address, append(options, nats.Timeout(2*time.Second))...); err == nil {
			t.Errorf("with %s somebody comes in", what)
			nc.Close()
		}
	}
}

// keeps has the state of gpu1 kept, as nod does again and again: the first one may come before the bucket is there.
func keeps(t *testing.T, hub *end, c *cluster) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(c.client())
	if err != nil {
		t.Fatal(err)
	}
	for late := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		hub.call(carrier.Control{Keep: &carrier.Kept{Machine: "gpu1", State: []byte(`{"agents":2}`)}})
		stream, err := js.Stream(t.Context(), "KV_"+bucket)
		if err == nil && stream.CachedInfo().State.Msgs == 1 {
			return js
		}
		if time.Now().After(late) {
			t.Fatalf("the state was not kept: %v", err)
		}
	}
}

// TestACommandLiesOnNoStream: after frames were sent to edges, the store contains only the last states.
func TestACommandLiesOnNoStream(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	hub := c.hub(tempDir(t))
	joined := joins(t, hub, "gpu1", "")
	edge := dials(t, joined)
	hub.up("gpu1")
	for range 5 {
		hub.send("gpu1", "type one")
		edge.hears("", "type one")
	}
	js := keeps(t, hub, c)
	stream, err := js.Stream(t.Context(), "KV_"+bucket)
	if err != nil {
		t.Fatal(err)
	}
	info := stream.CachedInfo()
	if want := "$KV." + bucket + ".>"; !slices.Equal(info.Config.Subjects, []string{want}) || info.Config.MaxBytes != maxKept {
		t.Errorf("the bucket keeps %v, at most %d bytes", info.Config.Subjects, info.Config.MaxBytes)
	}
	names := js.StreamNames(t.Context())
	for name := range names.Name() {
		if name != "KV_"+bucket {
			t.Errorf("there is a stream %s", name)
		}
	}
}

// TestNothingIsSentWhereAStreamWouldKeepIt: a stream of the cluster's owner stores everything that is sent to
// machines, so nothing is sent. The hub checks before the first frame of every connection: after a hub's
// first invite, and after a reconnection.
func TestNothingIsSentWhereAStreamWouldKeepIt(t *testing.T) {
	testrun.InFull(t)
	t.Parallel()
	c := newCluster(t)
	everything := keepsEverything(t, c)
	hub := c.hub(tempDir(t))
	edge := dials(t, joins(t, hub, "gpu1", ""))
	edge.up("")
	hub.send("gpu1", "type one")
	if says := hub.trouble("stream"); !strings.Contains(says, `"EVERYTHING"`) {
		t.Errorf("it says %q", says)
	}
	hub.send("gpu1", "type two")
	edge.hearsNothing(500 * time.Millisecond)
	if err := everything.DeleteStream(t.Context(), "EVERYTHING"); err != nil {
		t.Fatal(err)
	}
	c.kill()
	c.start()
	edge.up("")
	edge.send("", "back")
	hub.hears("gpu1", "back")
	hub.send("gpu1", "type three")
	edge.hears("", "type three")

	keepsEverything(t, c)
	c.kill()
	c.start()
	edge.up("")
	edge.send("", "back again")
	hub.hears("gpu1", "back again")
	hub.send("gpu1", "type four")
	if says := hub.trouble("stream"); !strings.Contains(says, `"EVERYTHING"`) {
		t.Errorf("it says %q", says)
	}
	edge.hearsNothing(500 * time.Millisecond)
}

func keepsEverything(t *testing.T, c *cluster) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(c.client())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "EVERYTHING", Subjects: []string{"nod.>"}}); err != nil {
		t.Fatal(err)
	}
	return js
}

// TestNothingIsSentWhereNobodyCanTell: if the cluster's owner does not permit the check, nothing is sent, and
// the missing permission is reported.
func TestNothingIsSentWhereNobodyCanTell(t *testing.T) {
	testrun.InFull(t)
	t.Parallel()
	config := filepath.Join(t.TempDir(), "server.conf")
	if err := os.WriteFile(config, []byte(`authorization { users: [{ user: u, password: p, permissions: { publish: { deny: "$JS.API.>" } } }] }`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newCluster(t, "-c", config)
	c.user = "u:p@"
	hub := c.hub(tempDir(t))
	joined := joins(t, hub, "gpu1", "")
	edge := dials(t, joined)
	edge.up("")
	hub.send("gpu1", "type one")
	if says := hub.trouble("stream"); !strings.Contains(says, "$JS.API.STREAM.NAMES") {
		t.Errorf("it says %q", says)
	}
	hub.send("gpu1", "type two")
	edge.hearsNothing(500 * time.Millisecond)
}

// TestOnAClusterOfSomebodyElses: a client that hears and sends everything there can't forge, replay or swap
// frames.
func TestOnAClusterOfSomebodyElses(t *testing.T) {
	testrun.InFull(t)
	t.Parallel()
	c := newCluster(t)
	hub := c.hub(tempDir(t))
	attacker := c.client()
	var mu sync.Mutex
	var crossed []*nats.Msg
	if _, err := attacker.Subscribe("nod.>", func(m *nats.Msg) {
		mu.Lock()
		crossed = append(crossed, m)
		mu.Unlock()
	}); err != nil {
		t.Fatal(err)
	}
	one, two := joins(t, hub, "gpu1", ""), joins(t, hub, "gpu2", "")
	first, second := dials(t, one), dials(t, two)
	first.up("")
	second.up("")
	talk := func(text string) {
		t.Helper()
		for machine, edge := range map[string]*end{"gpu1": first, "gpu2": second} {
			edge.send("", text)
			hub.hears(machine, text)
			hub.send(machine, text)
			edge.hears("", text)
		}
	}
	talk("honest")
	if err := attacker.Flush(); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	seen := slices.Clone(crossed)
	mu.Unlock()
	if len(seen) < 10 {
		t.Fatalf("the attacker saw %d messages only", len(seen))
	}
	s := subjectsOf(join.Pin(one.Hub))
	a, b := one.Keys.Public().ID(), two.Keys.Public().ID()
	publish := func(subject string, data []byte) {
		if err := attacker.Publish(subject, data); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range seen {
		for _, subject := range []string{m.Subject, s.up(a), s.up(b), s.down(a), s.down(b)} { // replayed, swapped, reflected
			publish(subject, m.Data)
		}
		changed := bytes.Clone(m.Data)
		for i := 0; i < len(changed); i += 7 {
			changed[i] ^= 0x20
			publish(m.Subject, changed) // forged
			changed[i] ^= 0x20
		}
	}
	for _, garbage := range [][]byte{nil, []byte(`{"request":{}}`), bytes.Repeat([]byte{1}, 200)} {
		for _, subject := range []string{s.up(a), s.down(a), s.join("x"), s.joined("x")} {
			publish(subject, garbage)
		}
	}
	if err := attacker.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, e := range []*end{first, second, hub} {
		e.hearsNothing(500 * time.Millisecond)
	}
	talk("still honest")
	if list := hub.call(carrier.Control{Machines: true}).Machines; len(list) != 2 {
		t.Errorf("joined are %+v", list)
	}
}

// TestYesterdaysFramesAreNothingToARestartedHub: frames from before a restart of the hub have no effect.
func TestYesterdaysFramesAreNothingToARestartedHub(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	dir := tempDir(t)
	hub := c.hub(dir)
	attacker := c.client()
	var mu sync.Mutex
	var crossed []*nats.Msg
	if _, err := attacker.Subscribe("nod.>", func(m *nats.Msg) { mu.Lock(); crossed = append(crossed, m); mu.Unlock() }); err != nil {
		t.Fatal(err)
	}
	joined := joins(t, hub, "gpu1", "")
	edge := dials(t, joined)
	edge.up("")
	edge.send("", "of yesterday")
	hub.hears("gpu1", "of yesterday")
	hub.send("gpu1", "typed yesterday")
	edge.hears("", "typed yesterday")
	edge.close()
	hub.close()

	hub = c.hub(dir)
	mu.Lock()
	seen := slices.Clone(crossed)
	mu.Unlock()
	for range 2 {
		for _, m := range seen {
			if err := errors.Join(attacker.Publish(m.Subject, m.Data), attacker.Flush()); err != nil {
				t.Fatal(err)
			}
		}
	}
	hub.hearsNothing(500 * time.Millisecond)
	edge = dials(t, joined)
	edge.up("")
	for _, m := range seen {
		if err := errors.Join(attacker.Publish(m.Subject, m.Data), attacker.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	edge.hearsNothing(500 * time.Millisecond)
	edge.send("", "of today")
	hub.hears("gpu1", "of today")
}
