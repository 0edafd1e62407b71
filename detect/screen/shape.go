package screen

import "nod/internal/reason"

// Shape is one kind of an agent's dialogs, as its file describes it: values that are the same on every screen.
type Shape struct {
	Name       string // without the agent's name: "tool_confirmation"
	State      State
	Verb       string      // what to do with the subject: "edit", "fetch", …; empty: run it
	Keys       Keys        // the keys that answer
	Ask        string      // the question, if no sentence on the screen is it
	Titles     []string    // fixed words that head this agent's dialogs
	Asks       []string    // the sentences that the agent asks; % is a part that is also in the subject
	Why        reason.Kind // why there is no yes, if the options do not show it
	SessionYes bool        // the yes for this session counts as the yes, which the dialog lacks
	Boxed      bool        // the boxes are the agent's own: no label of a model's can be where they are
	NoField    bool        // it has no text field, wherever the mark is: the keys that it prints prove that
	Encloses   bool        // a frame may be around the subject, and none is around the dialog
	Scrolls    reason.Why  // the doubt if a scrollbar is beside its rows; zero: no doubt
	Uncut      string      // ends a whole row, if the agent cuts rows beside a scrollbar; empty: it cuts none
	Gutter     int         // the number of no-break spaces between the sign of a changed line and its text
	// Means is the scope of an option whose label seems to say another one. It may widen a scope only if a person said what the
	// label means; else it narrows.
	Means func(e *Entry) Scope
}

// Is gives d its shape. d keeps the agent's fixed words if the shape has none.
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

// Set is a question's text field, and its place in a set of questions.
type Set struct {
	InSet            // without Ends
	TextField bool   // a text field of the dialog has the focus
	Room      int    // as Prompt.Room
	Words     string // the words in the text field
	More      bool   // more options may be below those that are seen
	EndsSet   bool   // leading on from this page sends the answers to all questions
	Submits   int    // on the page that reviews the answers: the entry that sends them, from 1; 0: none
}
