package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"nod/cmd/internal/fleet/join"
)

// Limits of the server. It refuses larger messages from an edge.
const (
	maxPayload = 1<<20 + 8<<10 // a sealed frame
	maxConns   = 512
	maxPending = 8 << 20 // bytes waiting for one client
	maxMemory  = 16 << 20
	maxStore   = 256 << 20
)

// natsServer is nod's own server: one port with TLS, only for the clients in users.
type natsServer struct {
	server *server.Server
	users  *users
	hub    nkeys.KeyPair // the hub's own key, new at every start
}

var errNotReady = errors.New("the hub's server does not start: the log says why")

func storeOf(dir string) string { return filepath.Join(dir, "jetstream") }

// startServer starts a server that listens at address and stores its data below dir. admit admits users
// before anybody can connect. problem receives later errors.
func startServer(address, dir string, hub join.Keys, admit func(*users) error, problem func(string)) (*natsServer, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("NOD_HUB: %w", err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return nil, fmt.Errorf("NOD_HUB: %q is no port", text)
	}
	if host == "" {
		host = "0.0.0.0"
	}
	// The server itself would only log a failure to listen.
	probe, err := net.Listen("tcp", net.JoinHostPort(host, text))
	if err != nil {
		return nil, fmt.Errorf("nothing can listen at NOD_HUB=%s: %w", address, err)
	}
	if port == 0 {
		port = probe.Addr().(*net.TCPAddr).Port
	}
	if err := probe.Close(); err != nil {
		return nil, err
	}
	certificate, err := certify(hub)
	if err != nil {
		return nil, err
	}
	own, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	public, err := own.PublicKey()
	if err != nil {
		return nil, err
	}
	s := &natsServer{users: &users{may: map[string]*server.Permissions{public: nil}, conn: map[string]uint64{}}, hub: own}
	if err := admit(s.users); err != nil {
		return nil, err
	}
	store := storeOf(dir)
	if err := os.MkdirAll(store, 0o700); err != nil {
		return nil, err
	}
	s.server, err = server.NewServer(&server.Options{
		ServerName: "nod", Host: host, Port: port, NoSigs: true, NoLog: true,
		TLS: true, TLSHandshakeFirst: true, TLSTimeout: 5,
		TLSConfig:  &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate}},
		MaxPayload: maxPayload, MaxConn: maxConns, MaxPending: maxPending, MaxSubs: maxConns, MaxClosedClients: 16,
		AuthTimeout: 6, WriteDeadline: 5 * time.Second, PingInterval: 10 * time.Second, MaxPingsOut: 2,
		CustomClientAuthentication: s.users, AlwaysEnableNonce: true,
		JetStream: true, StoreDir: store, JetStreamMaxMemory: maxMemory, JetStreamMaxStore: maxStore, SyncAlways: true,
	})
	if err != nil {
		return nil, err
	}
	s.server.SetLoggerV2(serverLog{problem}, false, false, false)
	s.server.Start()
	s.users.setServer(s.server)
	if !s.server.ReadyForConnections(10 * time.Second) {
		s.server.Shutdown()
		s.server.WaitForShutdown()
		return nil, errNotReady
	}
	return s, nil
}

// connect returns the hub's own in-process connection.
func (s *natsServer) connect(options ...nats.Option) (*nats.Conn, error) {
	public, err := s.hub.PublicKey()
	if err != nil {
		return nil, err
	}
	return nats.Connect("nats://hub", append(options, nats.InProcessServer(s.server), nats.Nkey(public, s.hub.Sign))...)
}

func (s *natsServer) stop() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// certify makes the server's certificate, signed with the hub's key as its authority. The certificate is new
// at every start, because clients pin the authority.
func certify(hub join.Keys) (tls.Certificate, error) {
	authority, now := hub.Signer(), time.Now()
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nod hub"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: now.Add(-24 * time.Hour), NotAfter: now.AddDate(10, 0, 0),
	}
	rootDER, err := x509.CreateCertificate(rand.Reader, root, root, authority.Public(), authority)
	if err != nil {
		return tls.Certificate{}, err
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "nod hub"}, DNSNames: []string{"nod-hub"},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		NotBefore: root.NotBefore, NotAfter: root.NotAfter,
	}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, root, public, authority)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{leafDER, rootDER}, PrivateKey: private}, nil
}

// users says who may connect, and the subjects of each. A removed user is cut off at once.
type users struct {
	mu     sync.Mutex
	server *server.Server
	may    map[string]*server.Permissions // by public key; nil permissions allow everything
	conn   map[string]uint64              // each user's connection; a second one with the same key ends the first
}

// admit lets a user publish to one subject and subscribe to another, and nothing else: no inbox and no server
// API.
func (u *users) admit(p join.Public, publish, hear string) error {
	public, err := nkeys.Encode(nkeys.PrefixByteUser, p.Carrier)
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.may[string(public)] = &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{publish}}, Subscribe: &server.SubjectPermission{Allow: []string{hear}},
	}
	return nil
}

// remove forbids a user further connections and ends the current one.
func (u *users) remove(p join.Public) {
	public, err := nkeys.Encode(nkeys.PrefixByteUser, p.Carrier)
	if err != nil {
		return // an invalid key, with which nobody connected
	}
	u.mu.Lock()
	conn, connected := u.conn[string(public)]
	delete(u.may, string(public))
	delete(u.conn, string(public))
	s := u.server
	u.mu.Unlock()
	if connected && s != nil {
		_ = s.DisconnectClientByID(conn) // an error means that it has already gone
	}
}

func (u *users) setServer(s *server.Server) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.server = s
}

// Check admits a client that signed this connection's nonce with an admitted key.
func (u *users) Check(c server.ClientAuthentication) bool {
	says := c.GetOpts()
	if c.Kind() != server.CLIENT || says.Nkey == "" || len(c.GetNonce()) == 0 {
		return false
	}
	key, err := nkeys.FromPublicKey(says.Nkey)
	if err != nil {
		return false
	}
	signature, err := base64.RawURLEncoding.DecodeString(says.Sig) // the encoding of nod's own client
	if err != nil || key.Verify(c.GetNonce(), signature) != nil {
		return false
	}
	u.mu.Lock()
	may, ok := u.may[says.Nkey]
	before, second := u.conn[says.Nkey]
	if ok {
		u.conn[says.Nkey] = c.GetID()
	}
	s := u.server
	u.mu.Unlock()
	if !ok {
		return false
	}
	if second && s != nil && before != c.GetID() {
		go func() { _ = s.DisconnectClientByID(before) }() // asynchronous: it needs a lock that the caller of Check may hold
	}
	c.RegisterUser(&server.User{Username: says.Nkey, Permissions: may})
	return true
}

// serverLog passes on the server's warnings, and drops its reports about connections.
type serverLog struct{ problem func(string) }

func (serverLog) Noticef(string, ...any)           {}
func (serverLog) Debugf(string, ...any)            {}
func (serverLog) Tracef(string, ...any)            {}
func (l serverLog) Warnf(format string, v ...any)  { l.say(format, v) }
func (l serverLog) Errorf(format string, v ...any) { l.say(format, v) }
func (l serverLog) Fatalf(format string, v ...any) { l.say(format, v) }

func (l serverLog) say(format string, v []any) {
	text := fmt.Sprintf(format, v...)
	for _, usual := range []string{"TLS handshake error", "authentication error", "Authentication Timeout", "authorization violation", "TLS Handshake First"} {
		if strings.Contains(strings.ToLower(text), strings.ToLower(usual)) {
			return // port scans must not fill the log, and nod is the only client
		}
	}
	l.problem(text)
}
