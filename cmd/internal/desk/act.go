package desk

// Act is what a human can do with a card.
type Act string

// The acts.
const (
	Yes       Act = "yes"
	No        Act = "no"
	Choose    Act = "choose"
	Tick      Act = "tick"
	Send      Act = "send"
	Allow     Act = "allow"
	SendWish  Act = "send_wish"
	Again     Act = "again"
	Leave     Act = "leave"
	LeaveIt   Act = "leave_it"
	DropWish  Act = "drop_wish"
	Words     Act = "words"
	DenyWords Act = "deny_words"
	Tell      Act = "tell"
	Skip      Act = "skip"
	Snooze    Act = "snooze"
)

// Deed describes an act: its key and words in the inbox and on the page, and its method for the bot.
type Deed struct {
	Act
	Key    string // that does it
	Name   string // in the inbox's footer
	Label  string // of the page's button
	Help   string
	done   string // what is said when it is done
	method string // of the socket
	answer string // of nudge.reply; an option's number is behind it
}

// Deeds describe all acts, in the order of the footer. Acts with the same key are never on the same card.
var Deeds = []Deed{
	{Yes, "y", "yes", "Yes, once", "yes, this once", "Approved, this once", "nudge.reply", "y"},
	{No, "n", "no", "No", "no", "Denied", "nudge.reply", "n"},
	{Choose, "1…9", "choose", "Choose", "choose the option of that number, or tick it", "Chosen", "nudge.reply", ""},
	{Tick, "space", "tick", "Tick", "tick the option that ← and → point at", "Ticked", "nudge.reply", "tick "},
	{Send, "enter", "send", "Send", "send what is ticked, or choose what ← and → point at", "Sent", "nudge.reply", "send"},
	{Allow, "a", "allow", "Allow once", "allow a blocked call once", "Allowed once", "denial.allow", ""},
	{SendWish, "a", "send", "Send", "send a wish", "Sent", "wish.send", ""},
	{Again, "a", "ask again", "Ask again", "ask again what expired", "Asked again", "nudge.again", ""},
	{Leave, "l", "leave", "Leave unanswered", "leave it", "Left", "nudge.reply", "leave"},
	{LeaveIt, "l", "leave", "Leave it denied", "", "Left as it is", "denial.leave", ""},
	{DropWish, "l", "drop", "Drop", "", "Dropped", "wish.drop", ""},
	{Words, "r", "reply", "Answer in words", "answer in words", "Answered", "nudge.reply", ""},
	{DenyWords, "d", "no, because", "No, and say why", "no, with words for the agent", "Denied, with your words", "nudge.reply", "n"},
	{Tell, "t", "tell", "Tell it", "the next instruction: at once where the agent is idle, else queued", "Told", "instruction.submit", ""},
	{Skip, "s", "skip", "Skip", "put it behind the others", "It is behind the others now", "nudge.skip", ""},
	{Snooze, "z", "snooze", "Snooze", "put it off", "Put off", "nudge.snooze", ""},
}

// Deed returns the description of an act; empty for an unknown one.
func (a Act) Deed() Deed {
	for _, d := range Deeds {
		if d.Act == a {
			return d
		}
	}
	return Deed{Act: a}
}
