package screen

import "nod/internal/reason"

// Shape is what an agent's file says of one kind of its dialogs: values, which are the same on every screen.
type Shape struct {
	Name       string // without the agent's name: "tool_confirmation"
	State      State
	Verb       string      // "edit", "fetch", …: what is asked for; empty: to run the subject
	Keys       Keys        // which keys choose
	Ask        string      // what it asks, where no sentence on the screen says so
	Titles     []string    // the words that head dialogs of this agent
	Asks       []string    // the sentences that it asks; % is a part of one, which the subject has as well
	Why        reason.Kind // why there is no yes, where the options do not say it
	SessionYes bool        // the yes for this session stands for the yes that the dialog lacks
	Boxed      bool        // its boxes are the agent's own: no label of a model's can be where they are drawn
	NoField    bool        // none has, wherever the mark stands: the keys that the dialog prints prove it
	Encloses   bool        // a frame stands around the subject of a dialog which has none
	Scrolls    reason.Why  // why it is doubted where a scrollbar is beside its rows, which are a part of what there is; zero: it is not
	Uncut      string      // ends a row that is whole where the agent cuts rows beside a scrollbar; empty: it cuts none
	Gutter     int         // how many no-break spaces the agent draws between the sign of a changed line and its text
	// Means is what an option does, where its label alone seems to say another thing. It gives only where a person has said what a label
	// means; else it narrows.
	Means func(e *Entry) Scope
}

// Is says which shape d is. The fixed words of the agent stay, where the shape has none of its own.
func (d *Dialog) Is(s Shape) {
	if s.Titles == nil {
		s.Titles = d.Titles
	}
	if s.Asks == nil {
		s.Asks = d.Asks
	}
	if s.Ask != "" {
		d.Question, d.said = s.Ask, true
	}
	d.Shape = s
}

// Set is what is known of a question besides its options, and of the set that it may be one of.
type Set struct {
	TextField   bool     // a text field of the dialog has the focus
	Room        int      // as Prompt.Room
	Words       string   // what is in it
	Tabs        string   // the row of headings that says that; empty: there is none
	Page, Pages int      // which question this is, from 1, and how many there are; 0: not known, or none
	More        bool     // more options may be below those that are seen
	EndsSet     bool     // what leads on from this page sends the answers to all of them
	Answers     []string // of the page that reviews the answers: what it says of each question
	Submits     int      // of that page: the entry that sends them, from 1; 0: none
}
