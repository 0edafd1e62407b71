package web

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The highest age of Telegram's proof of who opens a Mini App, and how far its clock may be ahead of ours.
const (
	initDataLasts = 5 * time.Minute
	clockAhead    = time.Minute
)

// opening says who opened a Mini App.
type opening struct {
	user int64
	name string
	at   time.Time
	sign string // Telegram's signature, which names this opening
}

// Telegram is the key of Telegram's own signature (core.telegram.org/bots/webapps, "Validating data for Third-Party Use").
var Telegram = ed25519.PublicKey{
	0xe7, 0xbf, 0x03, 0xa2, 0xfa, 0x46, 0x02, 0xaf, 0x45, 0x80, 0x70, 0x3d, 0x88, 0xdd, 0xa5, 0xbb,
	0x59, 0xf3, 0x2e, 0xd8, 0xb0, 0x2a, 0x56, 0xc1, 0x87, 0xfe, 0x7d, 0x34, 0xca, 0xed, 0x24, 0x2d,
}

// The reasons why a proof is not accepted. They don't repeat it, because it may contain anything.
var (
	errNoWord  = errors.New("there is no word of Telegram that its bot's token and its own signature prove")
	errOldWord = errors.New("the word of Telegram is too old, or from another clock")
)

// checkInitData checks the data that Telegram puts into a Mini App's address (core.telegram.org/bots/webapps,
// "Validating data received via the Mini App"). The sorted fields are signed with a key that is derived from
// the bot's token. Telegram also signs them with its own key, so that somebody who has the token can't
// pretend that another person opens the page.
func checkInitData(text, token string, telegram ed25519.PublicKey, now time.Time) (opening, error) {
	fields, err := url.ParseQuery(text)
	if err != nil || token == "" {
		return opening{}, errNoWord
	}
	for _, values := range fields {
		if len(values) != 1 || strings.ContainsRune(values[0], '\n') {
			return opening{}, errNoWord
		}
	}
	key := sum([]byte("WebAppData"), token)
	given, err := hex.DecodeString(fields.Get("hash"))
	bot, _, _ := strings.Cut(token, ":")
	signature := signatureOf(fields, bot, telegram)
	if err != nil || !hmac.Equal(given, sum(key, linesOf(fields, "hash"))) || signature == nil {
		return opening{}, errNoWord
	}
	seconds, err := strconv.ParseInt(fields.Get("auth_date"), 10, 64)
	at := time.Unix(seconds, 0)
	if err != nil || now.Sub(at) > initDataLasts || at.Sub(now) > clockAhead {
		return opening{}, errOldWord
	}
	var user struct {
		ID   int64  `json:"id"`
		Name string `json:"first_name"`
	}
	if json.Unmarshal([]byte(fields.Get("user")), &user) != nil || user.ID <= 0 {
		return opening{}, errNoWord
	}
	return opening{user: user.ID, name: user.Name, at: at, sign: string(signature)}, nil
}

// linesOf returns the fields in the form that is signed, except for the signatures.
func linesOf(fields url.Values, without ...string) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(without, name) {
			lines = append(lines, name+"="+fields.Get(name))
		}
	}
	return strings.Join(lines, "\n")
}

// signatureOf returns Telegram's own signature of the fields for a bot; nil: it is not valid.
func signatureOf(fields url.Values, bot string, telegram ed25519.PublicKey) []byte {
	signature, err := base64.RawURLEncoding.DecodeString(fields.Get("signature"))
	if err != nil || !ed25519.Verify(telegram, []byte(bot+":WebAppData\n"+linesOf(fields, "hash", "signature")), signature) {
		return nil
	}
	return signature
}

func sum(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
