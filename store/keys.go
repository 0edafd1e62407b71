package store

import (
	"bytes"
	"encoding/binary"
	"time"

	"nod/detect"
	"nod/nudge"
)

// The buckets. What each holds is drawn in the package comment.
var (
	metaBucket     = []byte("meta")
	nudgesBucket   = []byte("nudges")
	panesBucket    = []byte("panes")
	liveBucket     = []byte("live")
	dueBucket      = []byte("due")
	messagesBucket = []byte("messages")
	heardBucket    = []byte("heard")
	heardAtBucket  = []byte("heard_at")
	auditBucket    = []byte("audit")
	stateBucket    = []byte("state")
)

// The keys of the meta and state buckets.
var (
	schemaKey  = []byte("schema")
	secretKey  = []byte("secret")
	offsetKey  = []byte("offset")
	botKey     = []byte("bot")
	deskKey    = []byte("desk")
	chatPrefix = []byte("chat/")
)

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// signed keeps the order of negative numbers: groups have negative chat ids.
func signed(n int64) []byte { return number(uint64(n) ^ 1<<63) }

func moment(t time.Time) []byte { return signed(t.UnixNano()) }

// keyTime reads back the time that a key begins with.
func keyTime(key []byte) time.Time {
	return time.Unix(0, int64(binary.BigEndian.Uint64(key[:8])^1<<63)).UTC()
}

// panePrefix begins the key of every nudge of a pane. A pane's name holds no zero byte.
func panePrefix(p detect.PaneRef) []byte { return append([]byte(p.String()), 0) }

func paneKey(p detect.PaneRef, nth int) []byte {
	return append(panePrefix(p), number(uint64(nth))...)
}

func dueKey(at time.Time, id string) []byte { return append(moment(at), id...) }

func messageKey(chat int64, message int) []byte {
	return append(signed(chat), signed(int64(message))...)
}

func heardKey(h nudge.Heard) []byte {
	if h.Update != 0 {
		return append([]byte("u"), signed(int64(h.Update))...)
	}
	return append([]byte("m"), messageKey(h.Chat, h.Message)...)
}

func heardAtKey(at time.Time, heard []byte) []byte { return append(moment(at), heard...) }

func chatKey(name string) []byte { return append(bytes.Clone(chatPrefix), name...) }
