package detect

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"nod/internal/proc"
)

// owner is who a tmux server's @nod-owner names: "PID START BOOT", one run of one nod. Only that nod
// nudges and types there.
type owner struct {
	proc.ID
	boot string
}

// self is the mark of this process.
func self() (owner, error) {
	id, err := proc.Of(os.Getpid())
	if err != nil {
		return owner{}, fmt.Errorf("tell who owns a tmux server: %w", err)
	}
	boot, err := proc.BootID()
	if err != nil {
		return owner{}, fmt.Errorf("tell who owns a tmux server: %w", err)
	}
	return owner{ID: id, boot: boot}, nil
}

func (o owner) String() string { return fmt.Sprintf("%d %d %s", o.PID, o.Start, o.boot) }

// parseOwner reads a mark; ok is false for what is none.
func parseOwner(mark string) (o owner, ok bool) {
	fields := strings.Fields(mark)
	if len(fields) != 3 {
		return owner{}, false
	}
	pid, err := strconv.Atoi(fields[0])
	if err != nil || pid < 1 {
		return owner{}, false
	}
	start, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil {
		return owner{}, false
	}
	return owner{ID: proc.ID{PID: pid, Start: start}, boot: fields[2]}, true
}

// lives reports whether the nod that left the mark still runs: in this run of the machine, boot, and as
// the same process.
func (o owner) lives(boot string) bool { return o.boot == boot && proc.Alive(o.ID) }
