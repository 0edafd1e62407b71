package botapi

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

//go:embed page
var pageFiles embed.FS

// policy lets the page load only its own files. A message's content always becomes text in the page's script,
// never markup; this is the second line of defence.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Page is a phone-like chat page for one person, updated by server-sent events.
//
// Everybody who can reach it can answer for that person, so it is for loopback only. It refuses requests
// whose Host is no loopback name, which defeats DNS rebinding, and requests that another site's page started.
func (s *Server) Page(p *Person) http.Handler {
	v := &view{s: s, p: p}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", v.asset("index.html", "text/html; charset=utf-8"))
	mux.HandleFunc("GET /page.css", v.asset("page.css", "text/css; charset=utf-8"))
	mux.HandleFunc("GET /page.js", v.asset("page.js", "text/javascript; charset=utf-8"))
	mux.HandleFunc("GET /events", v.events)
	mux.HandleFunc("GET /file/{id}", v.file)
	mux.HandleFunc("POST /say", v.say)
	mux.HandleFunc("POST /tap", v.tap)
	return sameSite(mux)
}

// sameSite admits only requests of this page.
func sameSite(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		if !loopback(r.Host) {
			http.Error(w, "This page answers only on loopback: open it as http://127.0.0.1 or http://localhost.", http.StatusForbidden)
			return
		}
		if !ownOrigin(r) {
			http.Error(w, "This request was started by another site's page, so nothing was done.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// loopback reports whether a Host header names this machine's loopback.
func loopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// ownOrigin reports whether the page itself or the address bar started a request. A request that changes
// something must have the page's Origin, which a browser always sends with a POST.
func ownOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Method == http.MethodGet || r.Method == http.MethodHead
	}
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == "http" && strings.EqualFold(u.Host, r.Host)
}

// view is one person's side of the chat for the page.
type view struct {
	s *Server
	p *Person
}

func (v *view) asset(name, kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		data, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(data) // the browser may have gone
	}
}

// pageMessage is one message for the page's script.
type pageMessage struct {
	ID        int        `json:"id"`
	Mine      bool       `json:"mine"`
	Name      string     `json:"name"`
	Date      int64      `json:"date"`
	Edited    bool       `json:"edited"`
	Text      string     `json:"text"`
	Entities  []Entity   `json:"entities"`
	Rows      [][]Button `json:"rows"`
	Reply     int        `json:"reply"`
	Silent    bool       `json:"silent"`
	Deleted   bool       `json:"deleted"`
	Forwarded bool       `json:"forwarded"`
	Reaction  string     `json:"reaction"`
	Document  *Document  `json:"document"`
	Photo     *Photo     `json:"photo"`
	Topic     int        `json:"topic"`
	Asks      bool       `json:"asks"` // the app opens the reply field
	Pinned    bool       `json:"pinned"`
	Pins      int        `json:"pins"` // for Telegram's own message about a pin: the pinned message
}

func (v *view) message(m Record) pageMessage {
	b := pageMessage{
		ID: m.ID, Mine: m.From.ID == v.p.user.ID, Name: m.From.FirstName, Date: m.Date, Edited: m.EditDate != 0,
		Text: m.Text + m.Caption, Entities: append(m.Entities, m.CaptionEntities...), Reply: m.ReplyID,
		Silent: m.Silent, Deleted: m.Deleted, Forwarded: m.ForwardOrigin != nil, Reaction: m.Reaction, Document: m.Document, Topic: m.ThreadID,
		Pinned: m.Pinned && !m.Deleted,
	}
	if m.PinnedMessage != nil {
		b.Pins = m.PinnedMessage.ID
	}
	if m.Markup != nil {
		b.Rows, b.Asks = m.Markup.Rows, m.Markup.ForceReply
	}
	if len(m.Photo) > 0 {
		b.Photo = &m.Photo[len(m.Photo)-1]
	}
	return b
}

// news has the changes in the chat since a revision.
type news struct {
	Rev      int              `json:"rev"`
	Bot      User             `json:"bot"`
	Messages []pageMessage    `json:"messages"`
	Toasts   map[string]Toast `json:"toasts"` // by id of the tap
	Typing   bool             `json:"typing"`
	Topics   []pageTopic      `json:"topics"`
	Commands []Command        `json:"commands"` // of a private chat
}

func (v *view) since(rev int) (news, <-chan struct{}) {
	s := v.s
	s.mu.Lock()
	defer s.mu.Unlock()
	n := news{Rev: s.rev, Bot: s.me, Messages: []pageMessage{}, Toasts: map[string]Toast{}, Commands: s.menuOf(v.p.user.Language)}
	for _, m := range s.since(v.p.chat.ID, rev) {
		if m.Created != nil {
			continue // the row of topics shows it
		}
		n.Messages = append(n.Messages, v.message(m))
	}
	for id, q := range s.queries {
		if q.chat == v.p.chat.ID && q.toast != nil && q.rev > rev && rev > 0 {
			n.Toasts[id] = *q.toast
		}
	}
	c := s.chats[v.p.chat.ID]
	n.Topics = c.topicList()
	n.Typing = c != nil && c.rev > rev && !c.typing.IsZero() && time.Since(c.typing) < 5*time.Second
	return n, s.changed
}

// events sends the changes while the page is open. A browser that reconnects says which revision it saw last.
func (v *view) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	rev, _ := strconv.Atoi(r.Header.Get("Last-Event-ID")) // missing or invalid: from the beginning
	beat := time.NewTicker(20 * time.Second)
	defer beat.Stop()
	for {
		n, changed := v.since(rev)
		body, err := json.Marshal(n)
		if err != nil {
			return
		}
		if _, err := fmt.Fprintf(w, "id: %d\ndata: %s\n\n", n.Rev, body); err != nil || out.Flush() != nil {
			return
		}
		rev = n.Rev
		select {
		case <-changed:
		case <-beat.C:
		case <-r.Context().Done():
			return
		}
	}
}

// readInto reads a small JSON body. If it can't, it answers the request and returns false.
func readInto(w http.ResponseWriter, r *http.Request, into any) bool {
	if kind := r.Header.Get("Content-Type"); kind != "application/json" {
		http.Error(w, "The body must be application/json.", http.StatusUnsupportedMediaType)
		return false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		http.Error(w, "The body can't be read: "+err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

func (v *view) say(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Text  string `json:"text"`
		Reply int    `json:"reply"`
		Topic int    `json:"topic"`
	}
	if !readInto(w, r, &in) {
		return
	}
	in.Text = strings.TrimSpace(in.Text)
	if in.Text == "" || codePoints(in.Text) > maxText {
		http.Error(w, "A message has 1 to 4096 characters.", http.StatusBadRequest)
		return
	}
	m := v.p.InTopic(in.Topic).ReplyTo(in.Reply, in.Text)
	writeJSON(w, map[string]int{"id": m.ID})
}

func (v *view) tap(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Message int    `json:"message"`
		Data    string `json:"data"`
	}
	if !readInto(w, r, &in) {
		return
	}
	t, err := v.p.Tap(in.Message, in.Data)
	if err != nil {
		http.Error(w, "That button is gone.", http.StatusConflict)
		return
	}
	writeJSON(w, map[string]string{"query": t.ID})
}

func (v *view) file(w http.ResponseWriter, r *http.Request) {
	name, data, ok := v.s.File(r.PathValue("id"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	if kind := http.DetectContentType(data); kind == "image/png" || kind == "image/jpeg" {
		w.Header().Set("Content-Type", kind)
	} else {
		w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(name))
	}
	_, _ = w.Write(data) // the browser may have gone
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the browser may have gone
}
