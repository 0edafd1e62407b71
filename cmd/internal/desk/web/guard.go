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

// host says how requests to a host name are treated.
type host struct {
	origin string // the origin that a browser sends from its pages
	public bool   // reachable from outside: only a Mini App's session counts there
}

// hosts are the names under which the page is served: its address in each spelling, and the public host. A
// browser that sends any other name was misled, for example by DNS rebinding.
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

// policy lets the page load only its own files, and never turn text into markup.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
	"form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors "

// telegram is the origin of Telegram's web client, which shows a Mini App in a frame.
const telegram = "https://web.telegram.org"

type hostKey struct{}

// hostOf returns the host that a request names.
func hostOf(r *http.Request) host { return r.Context().Value(hostKey{}).(host) }

// guard passes on a request only if it names one of the hosts and comes from our own user and, if it may
// change something, from the page itself.
func (s *Server) guard(hosts map[string]host, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, ok := r.Context().Value(connKey{}).(net.Conn); ok { // httptest's recorder has none
			s.conns.serves(conn)
		}
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerLimit)) // a stream sets its own; httptest's recorder has none
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

// secure sets the security headers of every answer.
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

// proxied reports whether a request came through a proxy. A proxy that replaces the public host by our own
// name would admit strangers as users of this machine.
func proxied(h http.Header) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"} {
		if h.Get(name) != "" {
			return true
		}
	}
	return false
}

// fromThePage reports whether a request that may change something comes from a page of the host that it
// names. A browser says so in at least one header. A request without any of them may come from anywhere.
func fromThePage(r *http.Request, at host) bool {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	if site == "" && origin == "" || origin != "" && origin != at.origin {
		return false
	}
	return new(http.CrossOriginProtection).Check(r) == nil
}

// ours reports whether the client runs as our own user. Any user can connect to a port on loopback.
func (s *Server) ours(r *http.Request) bool {
	from, err := s.client(ends(r))
	if errors.Is(err, errors.ErrUnsupported) {
		return true // the system can't tell, so the key alone decides
	}
	return err == nil && from.UID == os.Getuid()
}

// ends returns the addresses of a request's connection: the client's and the page's.
func ends(r *http.Request) (client, page netip.AddrPort) {
	client, _ = netip.ParseAddrPort(r.RemoteAddr) // set by the server; an address that can't be parsed belongs to nobody
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(interface{ String() string }); ok {
		page, _ = netip.ParseAddrPort(local.String())
	}
	return client, page
}

// visitor returns who sends a request with a session.
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
		v.Processes, _ = from.Holders() // none: the sender is not known, and is refused
	}
	return v
}

// unhurried lifts the read deadline of a request that was read completely: the server keeps reading to see
// whether the client hangs up.
func unhurried(w http.ResponseWriter) { _ = http.NewResponseController(w).SetReadDeadline(time.Time{}) }
