// Package breakpoint stops a real process at the system calls by which others learn of it, so that a test can kill it there.
// Nothing is built into the process for that: the kernel's seccomp notifications hold each such call until the test has looked at
// it. It is of Linux alone, on amd64 and arm64.
package breakpoint
