package detect

// droid is Factory's Droid. It can't be run here: its dialogs are known from other
// projects' sources alone, so they are read by structure, with no key but those that a row prints and a proven
// highlight.
var droid = agent{
	name:     "droid",
	program:  program{names: []string{"droid"}, packages: []string{"@factory/cli"}},
	dialog:   unknownDialog,
	composer: unknownComposer,
	working:  func(v *view) bool { return v.says(10, "Esc to stop", "ESC to stop") },
}
