package web

import (
	"crypto/hmac"
	"crypto/sha256"
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

// How old Telegram's word on who opens a Mini App may be, and how far its clock may go before ours.
const (
	initDataLasts = 5 * time.Minute
	clockAhead    = time.Minute
)

// opening is who has opened a Mini App.
type opening struct {
	user int64
	name string
	at   time.Time
	hash string // names this opening
}

// The ways in which Telegram's word can be none. They don't repeat it: it may hold anything.
var (
	errNoWord  = errors.New("there is no word of Telegram that its bot's token proves")
	errOldWord = errors.New("the word of Telegram is too old, or from another clock")
)

// checkInitData reads what Telegram puts into the address of a Mini App (core.telegram.org/bots/webapps, "Validating data received via
// the Mini App"): its fields, sorted, are signed with a key that is made of the bot's token.
func checkInitData(text, token string, now time.Time) (opening, error) {
	fields, err := url.ParseQuery(text)
	if err != nil || token == "" {
		return opening{}, errNoWord
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		values := fields[name]
		if len(values) != 1 || strings.ContainsRune(values[0], '\n') {
			return opening{}, errNoWord
		}
		if name != "hash" {
			lines = append(lines, name+"="+values[0])
		}
	}
	key := sum([]byte("WebAppData"), token)
	given, err := hex.DecodeString(fields.Get("hash"))
	if err != nil || !hmac.Equal(given, sum(key, strings.Join(lines, "\n"))) {
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
	return opening{user: user.ID, name: user.Name, at: at, hash: hex.EncodeToString(given)}, nil
}

func sum(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
