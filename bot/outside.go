package bot

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"nod/bot/message"
	"nod/detect"
	"nod/nudge"
)

// Whoever can call the socket can make nod report agents outside tmux. These are the limits per minute, for
// all and for one session; the rest is counted.
const (
	outsideAMinute = 12
	sessionAMinute = 4
)

// saidAgain is how long the same question is a repetition. An agent says it more than once: with its request,
// and some seconds later with a notification.
const saidAgain = time.Minute

// outsideRate remembers the recent reports of agents outside tmux, and their number. It stores hashes,
// because an event may have any size.
type outsideRate struct {
	mu       sync.Mutex
	told     map[hash]time.Time // sessions, and their questions
	minute   time.Time          // when the counts began
	all      int
	sessions map[hash]int
}

type hash [sha256.Size]byte

func hashOf(input []byte, names ...string) hash {
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%d:%s", len(name), name)
	}
	h.Write(input)
	return hash(h.Sum(nil))
}

// take records an event. repeats: it was reported within the last minute already. room: the limits allow its
// report. An event without a question only repeats an event of its session that had one.
func (o *outsideRate) take(e detect.HookEvent, now time.Time) (repeats, room bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now.Sub(o.minute) >= time.Minute {
		o.minute, o.all, o.sessions = now, 0, map[hash]int{}
	}
	maps.DeleteFunc(o.told, func(_ hash, at time.Time) bool { return now.Sub(at) >= saidAgain })
	if o.told == nil {
		o.told = map[hash]time.Time{}
	}
	session := hashOf(nil, e.Agent, e.Session)
	asked := hashOf(e.Input, e.Agent, e.Session, e.Tool)
	_, repeats = o.told[asked]
	if e.Tool == "" {
		_, repeats = o.told[session]
	}
	room = o.all < outsideAMinute && o.sessions[session] < sessionAMinute
	if repeats || room {
		o.told[session], o.told[asked] = now, now
	}
	if room && !repeats {
		o.all++
		o.sessions[session]++
	}
	return repeats, room
}

// Outside tells every supervisor of an agent that asks outside tmux, where nod can't type. The message has no
// buttons and answers to it do nothing, because no screen proves what is there.
func (b *Bot) Outside(e detect.HookEvent) {
	if e.Kind != detect.Asks {
		return
	}
	now := time.Now()
	repeats, room := b.outside.take(e, now)
	if repeats {
		return
	}
	if !room {
		for _, chat := range b.audience() {
			b.sender(chat).outside.leaveOut()
		}
		return
	}
	project := detect.FolderName(e.Cwd)
	out := outsideMessage(e, b.style())
	out.Silent = b.silentNow(now) || b.mutes(now, e.Agent, project) || b.hushes(message.Risky(beginning(askedFor(e), longestMasked), project))
	for _, chat := range b.audience() {
		s := b.sender(chat)
		s.outside.put(&job{what: "an agent outside tmux", do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
			m, err := s.send(ctx, out)
			return &nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Unrelated, Place: message.Place(chat)}, Message: m.ID, Topic: m.topic(), Sent: m.at()}, err
		}})
		s.wakeUp()
	}
}

const (
	// longestAsk is how much of the question goes into the message, which can't answer it anyway.
	longestAsk = 1000
	// longestMasked is how much of the question is masked before it is cut.
	longestMasked = 32 << 10
)

func outsideMessage(e detect.HookEvent, style message.Style) message.Outgoing {
	var out message.Outgoing
	project := ""
	if e.Cwd != "" {
		project = beginning(detect.FolderName(e.Cwd), longestMasked)
	}
	out.Page.Bold("⚠ " + style.Title(beginning(e.Agent, longestMasked), "", project) + " asks outside tmux")
	if asked := beginning(askedFor(e), longestMasked); asked != "" && !style.Minimal {
		out.Page.Text(": ").Code(message.Cut(message.ForeignText(style.Redact(asked)), longestAsk))
	}
	out.Page.Line().Text("nod can't type there: answer it in its own window.")
	return out
}

// beginning returns the beginning of a text, at most n bytes. It cuts at a blank if it can, because half of a
// secret may not be recognised.
func beginning(text string, n int) string {
	if len(text) <= n {
		return text
	}
	text = text[:n]
	if i := strings.LastIndexAny(text, " \t\n"); i > n/2 {
		text = text[:i]
	}
	return strings.Clone(text) // not a slice of the whole, which may be large
}

// askedFor returns the question in an event: a command as it is, any other tool with its input.
func askedFor(e detect.HookEvent) string {
	var input map[string]json.RawMessage // a struct would take "COMMAND" for "command", which no agent does
	var command string
	if json.Unmarshal(e.Input, &input) == nil && json.Unmarshal(input["command"], &command) == nil && command != "" {
		return command
	}
	if e.Tool == "" {
		return e.Message
	}
	return fmt.Sprintf("%s %s", e.Tool, e.Input)
}
