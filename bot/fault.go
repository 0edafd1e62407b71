package bot

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// kind is the class of a failed call. It decides what is done next.
type kind string

const (
	permanent    kind = "permanent"    // the same request will fail again
	badMarkup    kind = "markup"       // Telegram refuses the entities of the text: plain text may pass
	badButtons   kind = "buttons"      // Telegram refuses the buttons: fewer, or none, may pass
	tooLong      kind = "too long"     // a shorter text may pass
	later        kind = "later"        // nothing was done; try again after a wait
	offline      kind = "offline"      // Telegram was not reached; nothing was done
	unsure       kind = "unsure"       // it may have been done: the answer was lost
	goneChat     kind = "gone"         // nobody can be written to: blocked, deactivated, never started
	conflict     kind = "conflict"     // another poller, or a webhook
	unauthorized kind = "unauthorized" // the token is wrong or was revoked
	moot         kind = "moot"         // it is so already, or no longer exists
	canceled     kind = "canceled"     // nod gave up itself
)

// errUnmade says that a message was not even sent.
var errUnmade = errors.New("nod can't make it, which is a bug in nod")

// fault is a classified error. after is how long Telegram asks to wait; 0: not said.
type fault struct {
	kind  kind
	after time.Duration
}

// classify returns the class of a call's error. The texts are those of Telegram's server
// (tdlib/telegram-bot-api, Client.cpp and Query.cpp).
func classify(err error) fault {
	if e, ok := errors.AsType[*rejection](err); ok {
		return fault{e.kind(), e.after}
	}
	if page, ok := errors.AsType[*brokenAnswer](err); ok && page.status == http.StatusRequestEntityTooLarge {
		return fault{kind: permanent} // of a proxy: else this message would hold up all behind it
	}
	switch {
	case errors.Is(err, context.Canceled):
		return fault{kind: canceled}
	case errors.Is(err, errUnmade):
		return fault{kind: permanent}
	case notReached(err):
		return fault{kind: offline}
	}
	return fault{kind: unsure}
}

// refused reports whether Telegram refuses a call for good because of its content.
func (f fault) refused() bool {
	return f.kind == permanent || f.kind == badMarkup || f.kind == badButtons || f.kind == tooLong
}

func (e *rejection) kind() kind {
	text := strings.ToLower(e.text)
	switch {
	case e.code == http.StatusTooManyRequests || e.after > 0:
		return later
	case e.code == http.StatusNotFound && holds(text, "method not found"):
		return permanent // the server is older than the method
	case e.code == http.StatusUnauthorized, e.code == http.StatusNotFound:
		return unauthorized // 404: something that is no token
	case e.code == http.StatusConflict:
		return conflict
	case e.code == http.StatusForbidden, holds(text, "chat not found", "upgraded to a supergroup", "user is deactivated", "peer_id_invalid"):
		return goneChat
	case e.code >= 500:
		return unsure
	case holds(text, "message is not modified", "message to edit not found", "message can't be edited",
		"message to delete not found", "message to react not found", "message to pin not found", "message to unpin not found", "chat_not_modified",
		"message_id_invalid", "query is too old", "query id is invalid"):
		return moot
	case holds(text, "message is too long", "message_too_long", "text is too long"):
		return tooLong
	case e.code == http.StatusBadRequest && holds(text, "entit"):
		return badMarkup // in prose, or as ENTITY_BOUNDS_INVALID, ENTITIES_TOO_LONG …
	case e.code == http.StatusBadRequest && holds(text, "button", "keyboard", "markup"):
		return badButtons // in prose, or as BUTTON_DATA_INVALID, REPLY_MARKUP_TOO_LONG …
	}
	return permanent
}

func holds(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// notReached reports whether err proves that no connection was made, so that nothing was sent.
func notReached(err error) bool {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "dial" || op.Op == "proxyconnect")
}

// backoff returns the wait after a failure with n failures before it and no success in between. The first
// failure, such as a broken connection, is followed by an immediate try.
func backoff(n int) time.Duration {
	if n == 0 {
		return 0
	}
	return min(time.Second<<min(n-1, 6), time.Minute)
}
