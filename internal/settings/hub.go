package settings

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
)

// Listening is an address and port of this machine that others may reach; empty for none.
type Listening string

// Decode parses an address and a port. A missing address means all of this machine's.
func (l *Listening) Decode(text string) error {
	host, port, err := net.SplitHostPort(text)
	number, err2 := strconv.ParseUint(port, 10, 16)
	var err3 error
	if host != "" {
		_, err3 = netip.ParseAddr(host)
	}
	if errors.Join(err, err2, err3) != nil || number == 0 {
		return errors.New("must be a port, or an address of this machine and a port, as in :7443 or 192.168.1.5:7443")
	}
	*l = Listening(text)
	return nil
}

// Servers is the URL of NATS servers; empty for none.
type Servers string

// Decode parses a URL without a user. Credentials belong into the file of NOD_NATS_CREDS, since everybody can
// see this setting.
func (s *Servers) Decode(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" || *u != (url.URL{Scheme: u.Scheme, Host: u.Host}) {
		return errors.New("must be a NATS server as in tls://nats.example.org:4222, without a name or a password: those stand in the file of NOD_NATS_CREDS")
	}
	*s = Servers(text)
	return nil
}
