package proc

// IsShell reports whether name is that of a shell: the kernel's name of a process, which a login shell's leading dash is
// no part of, or the base name of a program file.
func IsShell(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "fish", "dash", "ash", "ksh", "mksh", "csh", "tcsh", "nu", "pwsh", "elvish", "xonsh":
		return true
	}
	return false
}
