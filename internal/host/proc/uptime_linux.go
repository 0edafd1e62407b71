package proc

import "golang.org/x/sys/unix"

// On Linux CLOCK_MONOTONIC stops during sleep; CLOCK_BOOTTIME does not.
const uptimeClock = unix.CLOCK_BOOTTIME
