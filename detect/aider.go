package detect

// aider is Aider, which asks in a line that is typed into. It can't be run here: its dialogs are known from other
// projects' sources alone, so they are read by structure.
var aider = agent{
	name:    "aider",
	program: program{names: []string{"aider"}, modules: []string{"aider"}},
	dialog:  typedDialog,
	working: func(v *view) bool { return v.says(3, "Waiting for ") },
	mark:    func(v *view) bool { return v.says(40, "Aider v") },
}
