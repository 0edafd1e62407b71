package bot

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
)

// The failures of an Account's calls, for errors.Is. Each sentence names the next step.
var (
	ErrOffline    = errors.New("no connection to Telegram")
	ErrNotStarted = errors.New("this person has not opened the bot's chat and pressed Start, or there is no user with that id")
	ErrBlocked    = errors.New("this person has blocked the bot")
	ErrOtherPoll  = errors.New("another program polls with this bot's token")
	ErrWebhook    = errors.New("a webhook is set for this bot")
	ErrNoGroup    = errors.New("the bot is in no group with that id")
	ErrPutOut     = errors.New("the bot was put out of it")
)

// Account is a bot's account at Telegram, for setup and doctor. It works without the running bot's records.
// Only Confirm confirms updates, so nothing is lost for the bot that runs or will run.
type Account struct {
	api   *client
	dated *datedTransport
}

// NewAccount makes the Account for a token at the Bot API server with that base address. It does no I/O.
func NewAccount(token, base string) *Account {
	dated := &datedTransport{base: http.DefaultTransport}
	return &Account{api: newClient(Config{Token: token, API: base, HTTP: &http.Client{Transport: dated}}), dated: dated}
}

// Self is the bot's identity.
type Self struct {
	ID       int64
	Name     string
	Username string // without @
	Topics   bool   // its private chats may have topics
}

// Self asks Telegram for the bot's identity. A *TokenError means that Telegram rejects the token.
func (a *Account) Self(ctx context.Context) (Self, error) {
	var me struct {
		tgbotapi.User
		Topics bool `json:"has_topics_enabled"`
	}
	err := a.call(ctx, "getMe", nil, &me)
	if err != nil && classify(err).kind == unauthorized {
		return Self{}, &TokenError{err}
	}
	return Self{ID: me.ID, Name: me.FirstName, Username: me.UserName, Topics: me.Topics}, err
}

// Webhook returns the address to which Telegram sends updates instead of answering polls; empty: none.
func (a *Account) Webhook(ctx context.Context) (string, error) {
	var hook struct {
		URL string `json:"url"`
	}
	err := a.call(ctx, "getWebhookInfo", nil, &hook)
	return hook.URL, err
}

// RemoveWebhook removes the webhook. Waiting updates are kept.
func (a *Account) RemoveWebhook(ctx context.Context) error {
	return a.call(ctx, "deleteWebhook", tgbotapi.Params{"drop_pending_updates": "false"}, nil)
}

// CanWrite reports whether the bot may write to a person: nil, ErrNotStarted, ErrBlocked, or another failure.
// The person gets no message, but sees "typing…" for a moment if the chat is open.
func (a *Account) CanWrite(ctx context.Context, user int64) error {
	return a.call(ctx, "sendChatAction", tgbotapi.Params{"chat_id": strconv.FormatInt(user, 10), "action": "typing"}, nil)
}

// Group is a group that the bot is in.
type Group struct {
	Forum     bool // it has topics
	MayManage bool // the bot may make topics
}

// Group asks Telegram about a group; bot is the bot's own id. The errors are ErrNoGroup, ErrPutOut, or
// another failure.
func (a *Account) Group(ctx context.Context, id, bot int64) (Group, error) {
	var chat struct {
		Forum bool `json:"is_forum"`
	}
	var member struct {
		Topics bool `json:"can_manage_topics"`
	}
	p := tgbotapi.Params{"chat_id": strconv.FormatInt(id, 10)}
	err := a.api.call(ctx, pollLimit, "getChat", p, &chat)
	if err == nil {
		p["user_id"] = strconv.FormatInt(bot, 10)
		err = a.api.call(ctx, pollLimit, "getChatMember", p, &member)
	}
	switch {
	case err == nil:
		return Group{Forum: chat.Forum, MayManage: member.Topics}, nil
	case classify(err).kind != goneChat:
		return Group{}, meaning(err)
	case holds(err.Error(), "kicked"):
		return Group{}, fmt.Errorf("%w (%w)", ErrPutOut, err)
	}
	return Group{}, fmt.Errorf("%w (%w)", ErrNoGroup, err)
}

// Say sends a person a message without markup.
func (a *Account) Say(ctx context.Context, user int64, text string) error {
	return a.call(ctx, "sendMessage", tgbotapi.Params{"chat_id": strconv.FormatInt(user, 10), "text": text}, nil)
}

// Started is a person who pressed Start.
type Started struct {
	ID       int64
	Name     string // the name they chose: it proves nothing
	Username string // without @; empty: none
	Payload  string // of the link, https://t.me/BOT?start=PAYLOAD; empty: there was no such link
	Update   int    // the id of the update
}

// Starts polls once, for up to wait, and returns who pressed Start in the unconfirmed updates. It confirms
// none, so the bot that runs later gets them all. Telegram returns no more than a batch: full is the id of the last
// update of a full one, and what came after it is returned only after Confirm; 0: all were returned. Another poller
// loses its poll and Starts returns ErrOtherPoll, so call it only when nod is not running.
func (a *Account) Starts(ctx context.Context, wait time.Duration) (all []Started, full int, err error) {
	p := tgbotapi.Params{"timeout": strconv.Itoa(int(wait.Seconds())), "allowed_updates": allowedUpdates}
	var batch []json.RawMessage
	if err := a.call(ctx, "getUpdates", p, &batch); err != nil {
		return nil, 0, err
	}
	for _, raw := range batch {
		u, err := readUpdate(raw)
		if len(batch) >= maxBatch {
			full = u.ID
		}
		if err != nil || u.Message == nil || !u.Message.own() || u.Message.Chat == nil || !u.Message.Chat.IsPrivate() {
			continue
		}
		if command, payload, _ := strings.Cut(u.Message.Text, " "); command == "/start" {
			from := u.Message.From
			all = append(all, Started{from.ID, strings.TrimSpace(from.FirstName + " " + from.LastName), from.UserName, payload, u.ID})
		}
	}
	return all, full, nil
}

// maxBatch is the number of updates that getUpdates returns at most.
const maxBatch = 100

// Confirm tells Telegram that an update and all before it were handled. No bot gets them again.
func (a *Account) Confirm(ctx context.Context, update int) error {
	return a.call(ctx, "getUpdates", tgbotapi.Params{"offset": strconv.Itoa(update + 1), "limit": "1", "timeout": "0"}, nil)
}

// Skew returns how far this machine's clock is ahead of Telegram's, in whole seconds, by the date of the last
// answer. known is false if no answer had a date.
func (a *Account) Skew() (skew time.Duration, known bool) { return a.dated.skew() }

// call is client.call with the errors of meaning.
func (a *Account) call(ctx context.Context, method string, p tgbotapi.Params, into any) error {
	return meaning(a.api.call(ctx, pollLimit, method, p, into))
}

// meaning wraps a failed call's error in the error for its cause.
func meaning(err error) error {
	if err == nil {
		return nil
	}
	switch f := classify(err); {
	case f.kind == conflict && holds(err.Error(), "webhook"):
		return fmt.Errorf("%w (%w)", ErrWebhook, err)
	case f.kind == conflict:
		return fmt.Errorf("%w (%w)", ErrOtherPoll, err)
	case f.kind == goneChat && holds(err.Error(), "blocked", "deactivated"):
		return fmt.Errorf("%w (%w)", ErrBlocked, err)
	case f.kind == goneChat:
		return fmt.Errorf("%w (%w)", ErrNotStarted, err)
	case f.kind == offline, f.kind == unsure && !answered(err):
		return fmt.Errorf("%w (%w)", ErrOffline, err)
	}
	return err
}

// answered reports whether somebody answered the failed call: Telegram, or a server in its place.
func answered(err error) bool {
	return errors.As(err, new(*rejection)) || errors.As(err, new(*brokenAnswer))
}

// Advice returns the next step after a failed call of an Account, as a sentence.
func Advice(err error) string {
	var (
		invalid  x509.CertificateInvalidError
		unknown  x509.UnknownAuthorityError
		wrong    *TokenError
		broken   *brokenAnswer
		noName   *net.DNSError
		refusing *rejection
	)
	switch {
	case errors.As(err, &wrong):
		return "get the right one from @BotFather and run `nod setup`"
	case errors.Is(err, ErrWebhook):
		return "if no other program needs it, `nod setup` takes it away; else make a bot of its own for nod at @BotFather"
	case errors.Is(err, ErrOtherPoll):
		return "stop it; if there is none, somebody has the token: /revoke it at @BotFather, then `nod setup`"
	case errors.Is(err, ErrNotStarted):
		return "open the bot's chat in Telegram and press Start; is the id right?"
	case errors.Is(err, ErrNoGroup), errors.Is(err, ErrPutOut):
		return "add the bot to the group, or take NOD_CHAT out; the id of a group with topics begins with -100"
	case errors.Is(err, ErrBlocked):
		return "unblock the bot in Telegram, or take the id out of the settings"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate is not valid at this machine's date: set the clock, `timedatectl` shows it"
	case errors.As(err, &unknown):
		return "something between here and Telegram answers in its place: install ca-certificates, or look for a proxy"
	case errors.As(err, &noName):
		return "the name can't be resolved: check the network and DNS, and NOD_TELEGRAM_API if it is set"
	case errors.As(err, &broken):
		return "a proxy, a login page of the network or another server answers there: check the network and NOD_TELEGRAM_API"
	case errors.As(err, &refusing) && refusing.after > 0:
		return "Telegram asks to slow down: try again in " + refusing.after.String()
	}
	return "check the network, a proxy (HTTPS_PROXY) and NOD_TELEGRAM_API"
}

// datedTransport records by how much the date of an answer differs from this machine's clock.
type datedTransport struct {
	base http.RoundTripper

	mu    sync.Mutex
	ahead time.Duration
	known bool
}

// RoundTrip implements http.RoundTripper.
func (t *datedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ahead, t.known = time.Since(date).Truncate(time.Second), true
	}
	return resp, nil
}

func (t *datedTransport) skew() (time.Duration, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ahead, t.known
}
