package store

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"time"

	"nod/detect"
	"nod/nudge"
)

// The buckets. The package comment says what each holds.
var (
	metaBucket      = []byte("meta")
	nudgesBucket    = []byte("nudges")
	panesBucket     = []byte("panes")
	liveBucket      = []byte("live")
	dueBucket       = []byte("due")
	messagesBucket  = []byte("messages")
	handledBucket   = []byte("handled")
	handledAtBucket = []byte("handled_at")
	auditBucket     = []byte("audit")
	stateBucket     = []byte("state")
	asideBucket     = []byte("set_aside")

	instructionsBucket     = []byte("instructions")
	monitorsBucket         = []byte("monitors")
	monitorNewsBucket      = []byte("monitor_news")
	instructionsOverBucket = []byte("instructions_over")
	wishesBucket           = []byte("wishes")
	wishesOverBucket       = []byte("wishes_over")
	denialsBucket          = []byte("denials")
	denialsOverBucket      = []byte("denials_over")

	claimsBucket = []byte("claims") // in an edge's own file
)

// ownBuckets are in every file of the current schema.
var ownBuckets = [][]byte{
	metaBucket, nudgesBucket, panesBucket, liveBucket, dueBucket, messagesBucket, handledBucket, handledAtBucket,
	auditBucket, stateBucket, asideBucket,
}

// indexBuckets can be rebuilt from the records.
var indexBuckets = [][]byte{panesBucket, liveBucket, dueBucket, messagesBucket}

// The keys of the meta and state buckets.
var (
	schemaKey      = []byte("schema")
	secretKey      = []byte("secret")
	offsetKey      = []byte("offset")
	botKey         = []byte("bot")
	preferencesKey = []byte("preferences")
	holdsKey       = []byte("holds")
	othersKey      = []byte("other_messages")
	topicsKey      = []byte("topics")
	chatPrefix     = []byte("chat/")
)

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// signed encodes n so that negative numbers sort before positive ones.
func signed(n int64) []byte { return number(uint64(n) ^ 1<<63) }

func moment(t time.Time) []byte { return signed(t.UnixNano()) }

// keyTime returns the time at the beginning of a key.
func keyTime(key []byte) time.Time {
	return time.Unix(0, int64(binary.BigEndian.Uint64(key[:8])^1<<63)).UTC()
}

// panePrefix is the prefix of the keys of a pane's nudges. A pane's name has no zero byte.
func panePrefix(p detect.PaneRef) []byte { return append([]byte(p.String()), 0) }

func paneKey(p detect.PaneRef, nth int) []byte {
	return append(panePrefix(p), number(uint64(nth))...)
}

// instructionKey sorts the instructions of a pane in the order of sending.
func instructionKey(p detect.PaneRef, number int, id string) []byte {
	return append(paneKey(p, number), id...)
}

func dueKey(at time.Time, id string) []byte { return append(moment(at), id...) }

// messageKey is the key of a message. A place's name has no zero byte.
func messageKey(r nudge.Ref) []byte {
	return append(append([]byte(r.Place), 0), signed(int64(r.Message))...)
}

// handledKey is the key of r's update or, without one, of the message itself.
func handledKey(r nudge.Ref) []byte {
	if r.Update != 0 {
		return append([]byte("u"), signed(int64(r.Update))...)
	}
	return append([]byte("m"), messageKey(r)...)
}

func handledAtKey(at time.Time, handled []byte) []byte { return append(moment(at), handled...) }

func chatKey(name string) []byte { return append(bytes.Clone(chatPrefix), name...) }

// The names of the bot's values in the state bucket.
const (
	heldName    = "held"
	outageName  = "outage"
	unaskedName = "unasked"

	menuPrefix = "menu/"
)

func digestName(chat int64) string       { return "digest/" + strconv.FormatInt(chat, 10) }
func lackName(l Lack, chat int64) string { return string(l) + "/" + strconv.FormatInt(chat, 10) }
func menuName(chat int64) string         { return menuPrefix + strconv.FormatInt(chat, 10) }
