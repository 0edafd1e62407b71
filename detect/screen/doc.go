// Package screen reads a terminal's screen: its cells, their looks, and the question that a dialog on it asks and the
// options that it offers. It knows no agent; package agents describes in its terms what each agent draws.
//
// A screen is read in steps, and each step has files of its own:
//
//	cells     screen.go, cell.go                what tmux captured: a character and a look in each column
//	lines     layout.go, token.go               rows without their frames: words, rules, blanks, and the cursor, number or key before a label
//	regions   region.go, frame.go, popup.go …   parts of the screen that are drawn apart, found once: a dialog or an input box is in one
//	menus     menu.go, column.go, pointed.go …  options that belong together
//	dialog    structure.go, dialog.go …         the menu that is the last live thing on the screen, its question and its first row
//	sets      set.go                            a model's questions, and the sets whose pages they are
//	roles     role.go, rows.go, subject.go      the role of each row; a row without one is subject, so no row is left out
//	scopes    scope.go, refusal.go, asked.go    what each option grants, judged by its whole label and the question
//	keys      keys.go, decide.go                the keys that answer the agent from this very screen
//
// No step changes what it reads. A step that needs a layout without some drawing makes another layout.
//
// A dialog of an agent that nobody catalogued is read by structure alone (AnyDialog). These files say what may make it something else:
//
//	bounds.go    where it begins, if nothing is drawn there
//	beneath.go   what may be below it, and how far up from the bottom each thing is looked for
//	composer.go  input boxes, which take the same keys
//	pasted.go    text that somebody quoted, typed or pasted
//	inpart.go    signs that a part of it is not shown
//	spelled.go   answers that are typed, or that only words name: told, without keys
//	buttons.go   answers that only their drawing proves to be live: told, without keys
//	waits.go     dialogs whose options can't be read: told, without keys
//	redrawn.go   boxes of plain characters, and text in a column beside a dialog: told, without keys
//
// A rule that nobody would guess names the capture that needs it.
//
// This is a screen, with the role of each row:
//
//	                 ● Bash(touch a && rm -rf build)           the transcript: not read
//	edge             ──────────────────────────────────────    where the dialog begins
//	title             Bash command                             Titles: fixed words of this agent
//	note              Remove the build                         a row that nobody has placed: shown after the command
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
// Somebody who adds an agent needs Layout.Menu (find a menu), Shape (the dialog's name, fixed words and proven keys),
// Questions (how the agent draws its model's questions), Input (its input box) and Dialog.Place (which rows come first),
// and little else. What a file says of a dialog may come in any order: where it begins (BeginAt), the question (Ask), its rows (Place, Mark,
// Unbar), another head (AnotherHead), doubts (Doubt), a field (Field) and the shape (Is). Only the runs of a subject are shown in the order in
// which they are placed. AskSet and ReviewSet come last, because they read the page and give it another shape.
package screen
