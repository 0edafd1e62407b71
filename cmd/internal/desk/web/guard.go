package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"
)

// host is how requests that name a host are taken.
type host struct {
	origin string // what a browser says of a page of it
	public bool   // others reach it: only a Mini App's session counts there
}

// hosts are those that the page answers to: the ways to write where it listens, and the public one. Whatever else a browser names was
// made to lead here, as DNS rebinding does.
func hosts(at netip.AddrPort, public string) map[string]host {
	port := strconv.Itoa(int(at.Port()))
	all := map[string]host{}
	for _, name := range []string{at.String(), "127.0.0.1:" + port, "[::1]:" + port, "localhost:" + port} {
		all[name] = host{origin: "http://" + name}
	}
	if name, ok := strings.CutPrefix(public, "https://"); ok {
		all[name] = host{origin: public, public: true}
	}
	return all
}

// policy lets the page load what it was served with and nothing else, and make no markup from text.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
	"form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors "

// telegram is where Telegram's web client runs, which shows a Mini App in a frame.
const telegram = "https://web.telegram.org"

type hostKey struct{}

// hostOf is the host that a request names.
func hostOf(r *http.Request) host { return r.Context().Value(hostKey{}).(host) }

// guard lets only requests through that may be for the page: to one of its hosts, by our own user, and from the page itself where
// they may change something.
func (s *Server) guard(hosts map[string]host, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, ok := r.Context().Value(connKey{}).(net.Conn); ok { // a recorder has none
			s.conns.serves(conn)
		}
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerLimit)) // a stream sets its own; a recorder has none
		at, known := hosts[strings.ToLower(r.Host)]
		secure(w.Header(), at)
		switch {
		case !known:
			http.Error(w, "This page does not answer to that host.", http.StatusMisdirectedRequest)
			return
		case !at.public && proxied(r.Header):
			http.Error(w, "This came through a proxy, which the page takes only for the host of NOD_WEB_URL.", http.StatusForbidden)
			return
		case !at.public && !s.ours(r):
			http.Error(w, "This page answers only the user that nod runs as.", http.StatusForbidden)
			return
		case r.Method != http.MethodGet && !fromThePage(r, at):
			http.Error(w, "This was not sent by the page itself, so nothing was done.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), hostKey{}, at)))
	})
}

// secure sets what every answer says to the browser.
func secure(h http.Header, at host) {
	frames := "'none'"
	if at.public {
		frames = telegram
	} else {
		h.Set("X-Frame-Options", "DENY")
	}
	h.Set("Content-Security-Policy", policy+frames)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
}

// proxied reports whether a proxy has passed a request on. One that names our own host for the public one would let the world in as
// somebody of this machine.
func proxied(h http.Header) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"} {
		if h.Get(name) != "" {
			return true
		}
	}
	return false
}

// fromThePage reports whether a request that may change something comes from a page of the host that it names. A browser says so in one
// header at least, and what says it in none may be anything.
func fromThePage(r *http.Request, at host) bool {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	if site == "" && origin == "" || origin != "" && origin != at.origin {
		return false
	}
	return new(http.CrossOriginProtection).Check(r) == nil
}

// ours reports whether our own user is at the other end of the connection. A port on loopback has no owner.
func (s *Server) ours(r *http.Request) bool {
	from, err := s.client(ends(r))
	if errors.Is(err, errors.ErrUnsupported) {
		return true // the key has to do
	}
	return err == nil && from.UID == os.Getuid()
}

// ends are the addresses of a request's connection: the client's, and the page's.
func ends(r *http.Request) (client, page netip.AddrPort) {
	client, _ = netip.ParseAddrPort(r.RemoteAddr) // the server's own doing; what is no address is nobody's
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(interface{ String() string }); ok {
		page, _ = netip.ParseAddrPort(local.String())
	}
	return client, page
}

// visitor is who asks with a session.
func (s *Server) visitor(r *http.Request, of *session) Visitor {
	if of.user != 0 {
		return Visitor{KeyAlone: true, User: of.user, Name: of.name}
	}
	from, err := s.client(ends(r))
	if errors.Is(err, errors.ErrUnsupported) {
		return Visitor{KeyAlone: true}
	}
	v := Visitor{}
	if err == nil {
		v.Processes, _ = from.Holders() // none: it is not known whose the request is, and it is refused
	}
	return v
}

// unhurried lets a request that was read whole take longer than reading it may: the server reads on, to see whether the client hangs up.
func unhurried(w http.ResponseWriter) { _ = http.NewResponseController(w).SetReadDeadline(time.Time{}) }
