// Package screen tells what is on a terminal's screen: its cells and how they look, and what a question on it
// asks and offers. It knows no agent; package agents says in its terms what each one draws.
//
// A screen is read in steps, each in files of its own:
//
//	cells     screen.go, cell.go             what tmux captured: a character and a look in each column
//	lines     layout.go, token.go            rows with frames taken away: words, rules, blanks, and what stands before a label
//	regions   region.go, frame.go, popup.go … what is drawn apart, found once: where a dialog may stand, or words be typed
//	menus     menu.go, column.go, across.go …  the options that stand together
//	dialog    dialog.go, structure.go, …     a menu that is the last live thing, its question, where it begins
//	sets      set.go                         questions of a model, and the sets that they are pages of
//	roles     role.go, rows.go, subject.go   what each row of it is; a row without a role is subject, so nothing is left out
//	scopes    scope.go, refusal.go           what each option grants, by its label as a whole
//	keys      keys.go, decide.go             how the agent is answered, and which keys that makes here
//
// No step writes into what it reads: a layout without something that a program draws around its words is another one.
//
// How far up from the bottom of a screen a thing is looked for is in bottom.go, and what no rule would guess in quirks.go, both with
// the captures that need it.
//
// This is a screen, and what is read from it:
//
//	                 ● Bash(touch a && rm -rf build)           the transcript: not read
//	edge             ──────────────────────────────────────    where the dialog begins
//	title             Bash command                             Titles: fixed words of this agent
//	note              Remove the build                         a row that nobody has placed: told behind the command
//	drawing          ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌     placed: a rule where this agent draws one
//	subject           touch a && rm -rf build                  placed: the command itself, which comes first
//	drawing          ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
//	question          Do you want to proceed?                  Asks: a fixed sentence of this agent
//	option            ❯ 1. Yes                                 scope once, key 1; marked
//	option              2. Yes, and don't ask again for …      scope always: never a key for y
//	option              3. No                                  scope no, key 3
//	footer            Esc to cancel                            the dialog is live
//
// nod check --explain draws a screen so.
//
// Somebody who adds an agent needs Layout.Menu (to find a menu), Shape (values: its name, its fixed words, which keys were proven),
// Questions (how it draws what its model asks), Input (its input box) and Dialog.Place (which rows come first), and little else. What is said
// of a dialog may be said in any order.
package screen
