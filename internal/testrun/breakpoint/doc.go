// Package breakpoint stops a real process at the system calls that others can observe, so that a test can
// kill it there. The process needs no support for that: the kernel's seccomp notifications hold each such
// call until the test has seen it. It works only on Linux, on amd64 and arm64.
package breakpoint
