package detect

// amp is Amp. It can't be run here: its dialogs are known from other
// projects' sources alone, so they are read by structure, with no key but those that a row prints and a proven
// highlight.
var amp = agent{
	name:     "amp",
	program:  program{names: []string{"amp"}, packages: []string{"@sourcegraph/amp"}},
	dialog:   unknownDialog,
	composer: unknownComposer,
	working:  func(v *view) bool { return v.says(6, "esc to cancel", "Esc to cancel") },
}
