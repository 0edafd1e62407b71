package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"nod/cmd/internal/fleet/join"
)

// longestWait is the longest pause before another attempt to connect.
const longestWait = time.Minute

// clusterURL reports whether an address means somebody else's NATS servers and not a hub's own.
func clusterURL(address string) bool { return strings.Contains(address, "://") }

// reach connects to a hub: to its own server, which must have the pinned key, or through somebody else's NATS
// servers. It keeps trying. troubled receives the reason of each failure, and an empty sentence on success.
func reach(address string, pin []byte, keys join.Keys, creds string, again func(), troubled func(string)) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name("nod"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.Timeout(5 * time.Second), nats.IgnoreAuthErrorAbort(),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), nats.ReconnectBufSize(-1), nats.NoCallbacksAfterClientClose(),
		nats.CustomReconnectDelay(func(attempts int) time.Duration {
			return min(time.Second<<min(attempts, 6), longestWait)
		}),
		nats.ConnectHandler(func(*nats.Conn) { troubled(""); again() }),
		nats.ReconnectHandler(func(*nats.Conn) { troubled(""); again() }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { troubled(whyNot(address, err)) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				troubled(whyNot(address, err))
			}
		}),
		// A refusal by the server arrives here while the client reconnects.
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if unknownThere(err) {
				troubled(whyNot(address, err))
			}
		}),
	}
	url := address
	if clusterURL(address) {
		if creds != "" {
			options = append(options, nats.UserCredentials(creds))
		}
	} else {
		proof, err := nkey(keys)
		if err != nil {
			return nil, err
		}
		url = "tls://" + address
		options = append(options, proof, nats.Secure(pinned(pin)), nats.TLSHandshakeFirst())
	}
	nc, err := nats.Connect(url, options...)
	if err != nil {
		return nil, fmt.Errorf("%s", whyNot(address, err))
	}
	return nc, nil
}

// errOtherHub says that the server that answers is not the pinned hub.
var errOtherHub = errors.New("another hub answers there, or somebody in its place")

// pinned accepts only the pinned authority. It ignores the names and dates of certificates: a hub's address
// may change, and an edge's clock may be wrong.
func pinned(pin []byte) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, ServerName: "nod-hub", // VerifyConnection verifies instead
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) != 2 {
				return errOtherHub
			}
			return signedBy(pin, state.PeerCertificates[0], state.PeerCertificates[1])
		},
	}
}

func signedBy(pin []byte, leaf, root *x509.Certificate) error {
	key, ok := root.PublicKey.(ed25519.PublicKey)
	if !ok || !bytes.Equal(join.Pin(key), pin) || leaf.SignatureAlgorithm != x509.PureEd25519 || !ed25519.Verify(key, leaf.RawTBSCertificate, leaf.Signature) {
		return errOtherHub
	}
	return nil
}

// unknownThere reports whether a server refuses the client's key.
func unknownThere(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAuthRevoked) || errors.Is(err, nats.ErrAccountAuthExpired)
}

// whyNot explains a failed connection to people, with a next step.
func whyNot(address string, err error) string {
	dial := (*net.OpError)(nil)
	switch {
	case errors.Is(err, errOtherHub):
		return fmt.Sprintf("At %s another hub answers than the one that this machine was joined to, or somebody in its place, so nothing was said there. Was the hub's key lost (hub.json in its state folder)? Then join again with a code of `nod hub invite`.", address)
	case unknownThere(err):
		if clusterURL(address) {
			return fmt.Sprintf("The NATS servers at %s do not let nod in: look at the file of NOD_NATS_CREDS.", address)
		}
		return fmt.Sprintf("The hub at %s does not know this machine or its code any more: it was forgotten there (`nod machines forget`), or the code is more than an hour old. Join again with a code of `nod hub invite`.", address)
	case errors.As(err, &dial):
		return fmt.Sprintf("The hub at %s can't be reached (%v). Does `nod run` run there, and does a firewall let the port through? nod keeps trying.", address, dial.Err)
	}
	return fmt.Sprintf("The hub at %s can't be reached: %v. nod keeps trying.", address, err)
}
