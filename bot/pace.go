package bot

import "time"

// Telegram's documented limit for one chat is about a message a second, with short bursts
// (core.telegram.org/bots/faq). It does not say whether edits count; a refused edit shows that they do.
const (
	messageGap = time.Second
	burst      = 3
	editGap    = 100 * time.Millisecond
	slowest    = 30 * time.Second
	forgiven   = 10 * time.Minute // after the last refusal the documented limit applies again
)

// pace says when a chat may have its next call. Messages go at the documented limit until Telegram refuses
// one. After that they go one at a time, with a gap after the answer to the last. The gap grows by half with
// each refusal and shrinks a little with each call that passes.
type pace struct {
	gap     time.Duration // between two messages; 0: none was refused lately
	message time.Time     // when the next message may go, without a burst
	edit    time.Time     // when the next edit may go, unless edits count as messages
	edits   bool          // edits count as messages
	until   time.Time     // no call before that, as Telegram asks
	refused time.Time     // the last refusal
}

// wait returns how long a message or an edit has to wait.
func (p *pace) wait(edit bool, now time.Time) time.Duration {
	if p.gap > 0 && now.Sub(p.refused) >= forgiven {
		p.gap, p.edits = 0, false
	}
	turn := p.message
	switch {
	case edit && !p.edits:
		turn = p.edit
	case p.gap == 0:
		turn = turn.Add(-(burst - 1) * messageGap)
	}
	return max(turn.Sub(now), p.until.Sub(now))
}

// begin records that a call begins now.
func (p *pace) begin(edit bool, now time.Time) {
	if edit && !p.edits {
		return
	}
	if p.message.Before(now) {
		p.message = now
	}
	p.message = p.message.Add(max(p.gap, messageGap))
}

// passed records that Telegram took a call.
func (p *pace) passed(edit bool, now time.Time) {
	switch {
	case edit && !p.edits:
		p.edit = now.Add(editGap)
	case p.gap > 0:
		p.message = now.Add(p.gap)
		p.gap = max(messageGap, p.gap-messageGap/20)
	}
}

// refuse records that Telegram refused a call and asks to wait.
func (p *pace) refuse(edit bool, after time.Duration, now time.Time) {
	switch {
	case p.gap == 0:
		p.gap = messageGap // the end of bursts
	case !edit || p.edits:
		p.gap = min(p.gap*3/2, slowest)
	}
	p.edits = p.edits || edit
	p.refused = now
	p.until = now.Add(max(after, time.Second))
	p.message = p.until
}
