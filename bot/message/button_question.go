package message

import (
	"fmt"
	"unicode/utf8"

	"nod/detect/screen"
)

// The buttons of a question: its answers, the boxes of a list, Send, and Dismiss.

// answers returns the buttons that answer a question.
func (r Renderer) answers(chat int64, s Sealer, data func(Verb) Tap) Keys {
	var rows Keys
	if yes, no, ok := r.YesNo(); ok {
		key := func(sign, style string, option int) button {
			p := data(VerbChoose)
			p.Option = option
			return s.Tap(Cut(sign+r.labels[option], labelRoom), p, chat).styled(style)
		}
		return Keys{{key("✅ ", green, yes), key("❌ ", red, no)}}
	}
	if r.Program() == nil && r.Prompt.Ticks() != "" {
		rows = r.boxes(chat, s, data)
	}
	if r.Program() == nil && len(r.Prompt.Send) > 0 {
		p := data(VerbSend)
		p.Ticks = r.Prompt.Ticks()
		rows = append(rows, []button{s.Tap(r.sends(), p, chat).styled(green)})
	}
	rows = append(rows, r.choices(chat, s, data(VerbChoose))...)
	if len(r.Prompt.Dismiss) > 0 && r.Program() == nil {
		rows = append(rows, []button{s.Tap("✖ Dismiss", data(VerbLeave), chat)})
	}
	return rows
}

// boxNameRoom is how much of a name fits on a button next to its box and number.
const boxNameRoom = 54

// boxes returns a button for each box that can be ticked, with its current state.
func (r Renderer) boxes(chat int64, s Sealer, data func(Verb) Tap) Keys {
	return r.rowsOf(func(i int) (button, bool) {
		o := r.Prompt.Options[i]
		if o.Tick == screen.NoBox || !r.Offers(i) {
			return button{}, false
		}
		p := data(VerbTick)
		p.Option, p.Ticks = i, r.Prompt.Ticks()
		return s.Tap(box(o.Tick)+" "+r.boxName(i), p, chat), true
	})
}

// boxName returns the label of a box's button: the option's name, after its number if two boxes have the same name.
func (r Renderer) boxName(i int) string {
	seen := map[string]bool{}
	for k, o := range r.Prompt.Options {
		name := Cut(r.names[k], boxNameRoom)
		if o.Tick != screen.NoBox && seen[name] {
			return fmt.Sprintf("%s. %s", r.OptionNumber(i), Cut(r.names[i], boxNameRoom))
		}
		seen[name] = true
	}
	return Cut(r.names[i], boxNameRoom)
}

// sends returns the label of the button that submits a check list. On a question of a set it only leads to
// the next page, unless that question ends the set.
func (r Renderer) sends() string {
	if r.Prompt.Pages > 1 && r.Prompt.Ticks() != "" && !r.Prompt.Ends {
		return "➡ Next"
	}
	return "📤 Send"
}

// box returns the sign for a box in a message.
func box(t screen.Tick) string {
	if t == screen.On {
		return "☑"
	}
	return "☐"
}

// choices returns a button for each offered option without a box; p is the data of one.
func (r Renderer) choices(chat int64, s Sealer, p Tap) Keys {
	return r.rowsOf(func(i int) (button, bool) {
		p.Option = i
		text := r.labels[i]
		if !r.fillsIn() { // a number would be the value
			text = r.OptionNumber(i) + ". " + text
		}
		return s.Tap(Cut(text, 60), p, chat), r.Offers(i) && r.Prompt.Options[i].Tick == screen.NoBox
	})
}

// rowsOf lays out a button for each option that has one. Phones cut labels, so there are three in a row at
// most, and a long label has its own row.
func (r Renderer) rowsOf(of func(i int) (button, bool)) Keys {
	var rows Keys
	var row []button
	end := func() {
		if len(row) > 0 {
			rows, row = append(rows, row), nil
		}
	}
	offers := 0
	for i := range r.labels {
		b, ok := of(i)
		if !ok {
			continue
		}
		if offers++; offers > maxChoices {
			break
		}
		if utf8.RuneCountInString(b.Text) > 16 {
			end()
			rows = append(rows, []button{b})
			continue
		}
		if row = append(row, b); len(row) == 3 {
			end()
		}
	}
	end()
	return rows
}
