// Package botapi emulates Telegram's Bot API for demos and tests. It has an http.Handler that answers a bot
// like the real server, including the words of refusals, and people whose side of the chat is controlled from
// Go or from a web page.
//
// The rules for accepting, cutting, cleaning and refusing follow github.com/tdlib/telegram-bot-api and
// github.com/tdlib/td (both of 2026) and core.telegram.org/bots/api. Comments mark the places where it is
// stricter than those.
//
// All state is in memory. The only clock is package time, so a Server that is made and served inside a
// testing/synctest bubble (see Server.Pipe) uses the bubble's time.
package botapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Options describe the bot of a Server. Only Token is required.
type Options struct {
	Token    string // "123456:…", as from BotFather
	Username string // of the bot, without @; default "nod_demo_bot"
	Name     string // of the bot; default "nod"
	// Flood enables Telegram's limits: one message a second to a chat with short bursts, thirty a second in
	// all, twenty a minute to a group.
	Flood bool
	// Strict is Flood without bursts, counting edits and deletions: one call a second to a chat.
	Strict bool
	// CallbackWindow is how long a tap may be answered. Telegram does not document it; reports say seconds to
	// a minute. The default is 60 s.
	CallbackWindow time.Duration
	// FirstUpdate is the id of the first update; by default one that looks like Telegram's.
	FirstUpdate int
	// Topics enables BotFather's Threaded Mode: private chats have topics.
	Topics bool
	// Version is the version of the Bot API, 903 for 9.3; later features are unknown to the server. The
	// default is the newest.
	Version int
}

// newest is the emulated version of the Bot API.
const newest = 1004

// The versions that introduced features which not every server has.
const (
	withPrivateTopics = 903 // topics in private chats
	withStyles        = 904 // coloured buttons
	withTimes         = 905 // tg-time
	// withForcedReply introduced buttons that also open the reply field.
	withForcedReply = 1003
)

// Server is one Bot API server with one bot. It is safe for concurrent use.
type Server struct {
	opts Options

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every change
	rev     int           // counts changes, so that a reader can ask for newer ones

	profile

	chats       map[int64]*chat
	lastMessage int // private chats and basic groups share one sequence
	files       map[string]*File
	fileSeq     int

	pending

	queries  map[string]*query
	querySeq int

	flood  *rate.Limiter
	faults []*Fault
	calls  []Call
}

// profile is Telegram's data about the bot.
type profile struct {
	me          User
	revoked     bool
	webhook     string
	commands    map[string][]Command       // by scope and language
	description map[string]string          // by method and language
	menuButtons map[string]json.RawMessage // by chat
}

// pending has the unconfirmed updates, and how the bot fetches them.
type pending struct {
	queue   []update
	nextID  int
	allowed map[string]bool // nil for Telegram's default
	poll    poll
}

// New returns a server without chats: a person must press Start (Person.Start) before the bot can write to
// them.
func New(o Options) *Server {
	if o.Username == "" {
		o.Username = "nod_demo_bot"
	}
	if o.Name == "" {
		o.Name = "nod"
	}
	if o.CallbackWindow == 0 {
		o.CallbackWindow = time.Minute
	}
	if o.Version == 0 {
		o.Version = newest
	}
	if o.FirstUpdate == 0 {
		o.FirstUpdate = 729_418_305
	}
	return &Server{
		opts: o,
		profile: profile{
			me:       User{ID: botID(o.Token), IsBot: true, FirstName: o.Name, Username: o.Username},
			commands: map[string][]Command{}, description: map[string]string{}, menuButtons: map[string]json.RawMessage{},
		},
		changed: make(chan struct{}),
		chats:   map[int64]*chat{},
		files:   map[string]*File{},
		pending: pending{nextID: o.FirstUpdate},
		queries: map[string]*query{},
		flood:   rate.NewLimiter(30, 30),
	}
}

// touch wakes everybody who waits for a change, and returns the change's number. The caller holds the lock.
func (s *Server) touch() int {
	s.rev++
	close(s.changed)
	s.changed = make(chan struct{})
	return s.rev
}

// methods are the methods that a notification bot may call, by lower-case name: the real server ignores case,
// too. All of them run with the lock held.
var methods = map[string]func(*Server, *request) (any, error){
	"getme":                  (*Server).getMe,
	"getchat":                (*Server).getChat,
	"getchatmember":          (*Server).getChatMember,
	"leavechat":              (*Server).leaveChat,
	"sendmessage":            (*Server).sendMessage,
	"senddocument":           (*Server).sendDocument,
	"sendphoto":              (*Server).sendPhoto,
	"sendchataction":         (*Server).sendChatAction,
	"setmessagereaction":     (*Server).setMessageReaction,
	"editmessagetext":        (*Server).editMessageText,
	"editmessagecaption":     (*Server).editMessageCaption,
	"editmessagemedia":       (*Server).editMessageMedia,
	"editmessagereplymarkup": (*Server).editMessageReplyMarkup,
	"deletemessage":          (*Server).deleteMessage,
	"answercallbackquery":    (*Server).answerCallbackQuery,
	"createforumtopic":       (*Server).createForumTopic,
	"pinchatmessage":         (*Server).pinChatMessage,
	"unpinchatmessage":       (*Server).unpinChatMessage,
	"getfile":                (*Server).getFile,
	"setmycommands":          (*Server).setMyCommands,
	"setchatmenubutton":      (*Server).setChatMenuButton,
	"getchatmenubutton":      (*Server).getChatMenuButton,
	"getmycommands":          (*Server).getMyCommands,
	"deletemycommands":       (*Server).deleteMyCommands,
	"setmydescription":       (*Server).setMyDescription,
	"getmydescription":       (*Server).getMyDescription,
	"setmyshortdescription":  (*Server).setMyDescription,
	"getmyshortdescription":  (*Server).getMyDescription,
	"setwebhook":             (*Server).setWebhook,
	"deletewebhook":          (*Server).deleteWebhook,
	"getwebhookinfo":         (*Server).getWebhookInfo,
}

// ServeHTTP serves /bot<token>/METHOD and /file/bot<token>/PATH.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if rest, ok := strings.CutPrefix(r.URL.Path, "/file/bot"); ok {
		s.serveFile(w, rest)
		return
	}
	rest, ok := strings.CutPrefix(r.URL.Path, "/bot")
	token, method, found := strings.Cut(rest, "/")
	if !ok || !found {
		reply(w, nil, &Error{Code: http.StatusNotFound, Description: "Not Found"})
		return
	}
	if err := s.authorise(token); err != nil {
		reply(w, nil, err)
		return
	}
	req, err := readRequest(r, method)
	if err != nil {
		reply(w, nil, err)
		return
	}
	req.version = s.opts.Version
	fault := s.takeFault(method)
	if fault.before(r.Context(), w) {
		return
	}
	result, err := s.call(req)
	s.log(req, err)
	fault.after()
	reply(w, result, err)
}

// call runs one method.
func (s *Server) call(r *request) (any, error) {
	name := strings.ToLower(r.method)
	if name == "getupdates" { // it waits, so it takes the lock itself
		return s.getUpdates(r)
	}
	run, ok := methods[name]
	if !ok {
		return nil, &Error{Code: http.StatusNotFound, Description: "Not Found: method not found"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return run(s, r)
}

// authorise distinguishes a malformed token (404) from an invalid one (401).
func (s *Server) authorise(token string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token == s.opts.Token && !s.revoked {
		return nil
	}
	if botID(token) == 0 {
		return &Error{Code: http.StatusNotFound, Description: "Not Found"}
	}
	return &Error{Code: http.StatusUnauthorized, Description: "Unauthorized"}
}

// Revoke makes the token invalid, like /revoke at BotFather.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = true
	s.touch()
}

// botID returns the number before a token's colon; 0 if the token is malformed.
func botID(token string) int64 {
	id, secret, ok := strings.Cut(token, ":")
	if !ok || secret == "" || len(id) > 15 {
		return 0
	}
	var n int64
	for _, c := range id {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int64(c-'0')
	}
	return n
}
