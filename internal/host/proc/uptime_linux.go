package proc

import "golang.org/x/sys/unix"

// Linux stops CLOCK_MONOTONIC while the machine sleeps; CLOCK_BOOTTIME goes on.
const uptimeClock = unix.CLOCK_BOOTTIME
