package proc

// IsShell reports whether name is a shell's. name is the kernel's name of a process, which has no leading
// dash for a login shell, or the base name of a program file.
func IsShell(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "fish", "dash", "ash", "ksh", "mksh", "csh", "tcsh", "nu", "pwsh", "elvish", "xonsh":
		return true
	}
	return false
}
