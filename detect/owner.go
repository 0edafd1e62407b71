package detect

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// ownerMark is the option @nod-owner of a tmux server: "PID START BOOT", one run of one nod. Only that nod nudges and types there.
// Further words are a later version's.
type ownerMark struct {
	proc.ID
	boot string // the run of the machine
}

// ownMark is the mark of this process.
func ownMark() (ownerMark, error) {
	id, err := proc.Of(os.Getpid())
	if err != nil {
		return ownerMark{}, fmt.Errorf("tell who owns a tmux server: %w", err)
	}
	boot, err := proc.BootID()
	if err != nil {
		return ownerMark{}, fmt.Errorf("tell who owns a tmux server: %w", err)
	}
	return ownerMark{ID: id, boot: boot}, nil
}

func (o ownerMark) String() string { return fmt.Sprintf("%d %d %s", o.PID, o.Start, o.boot) }

// parseOwnerMark reads a mark; ok is false if text is no mark.
func parseOwnerMark(text string) (o ownerMark, ok bool) {
	if n, _ := fmt.Sscanf(text, "%d %d %s", &o.PID, &o.Start, &o.boot); n < 3 || o.PID < 1 {
		return ownerMark{}, false
	}
	return o, true
}

// alive reports whether the process that left the mark still runs, in this run of the machine, boot.
func (o ownerMark) alive(boot string) bool { return o.boot == boot && proc.Alive(o.ID) }

// OwnerOf is the process of the nod that watches a server, by its mark in the listing; ok is false if none does or it has ended.
func OwnerOf(l tmux.Listing) (pid int, ok bool) {
	mark, marked := parseOwnerMark(l.Owner)
	boot, err := proc.BootID()
	if !marked || err != nil || !mark.alive(boot) {
		return 0, false
	}
	isNod, known := newFileQuestions().runsNod(mark.PID)
	return mark.PID, isNod || !known
}

// claim marks the server as this nod's, unless another nod owns it. It reports whether the server is this nod's.
func (s *serverWatcher) claim(ctx context.Context, listing tmux.Listing) bool {
	mark := s.mark.String()
	if listing.Owner == mark {
		return true
	}
	if other, ok := parseOwnerMark(listing.Owner); ok && other.alive(s.mark.boot) {
		if why := s.ownedBy(other); !why.IsZero() {
			s.leave(listing.Owner, why)
			return false
		}
		s.watcher.cfg.Log.Warn("a tmux server is marked as owned by a process that is no nod; the mark is replaced",
			"socket", s.screens.Socket(), "process", other.PID)
	}
	s.leftTo = ""
	err := s.screens.SetOwner(ctx, listing.Life, listing.Owner, mark)
	if err != nil {
		// The next poll shows which nod was faster.
		if !errors.Is(err, tmux.ErrStale) {
			s.pollFailed(err)
		}
		return false
	}
	return true
}

// ownedBy says why the server is left to the living process of a mark. Zero: that process is no nod, and its mark does not count.
func (s *serverWatcher) ownedBy(other ownerMark) reason.Why {
	socket, process := s.screens.Socket(), fmt.Sprint(other.PID)
	switch nod, known := s.watcher.files.runsNod(other.PID); {
	case nod:
		return reason.Why{Kind: reason.OtherNodThere, Where: socket, What: process}
	case !known:
		return reason.Why{Kind: reason.MarkUnclear, Where: socket, What: process}
	}
	return reason.Why{}
}

// leave leaves the server to the owner of a mark, and says so once. It does not say that the panes are gone: they are that nod's.
func (s *serverWatcher) leave(mark string, why reason.Why) {
	clear(s.panes)
	clear(s.sessions)
	s.note(func(known *serverStatus) { clear(known.sightings) })
	s.setStatus(false, why)
	if s.leftTo != mark && s.watcher.cfg.Left != nil {
		s.watcher.cfg.Left(why)
	}
	s.leftTo = mark
}

// runsNod reports whether a process is a nod that watches: its program was built from the same module as this one, as
// the program file itself records, and it was started to run. No other process is both by accident, so a mark that
// names one, whoever left it, does not make nod blind. A program of the same user that is made to deceive may start a
// nod of its own for the mark, as it may stop this one; then the person is told that a server is left alone. known is
// false if nothing is known of the process.
func (f *fileQuestions) runsNod(pid int) (nod, known bool) {
	line, err := proc.Lineage(pid)
	if err != nil {
		return false, false
	}
	if !slices.Contains(line[0].Args, "run") {
		return false, true
	}
	type verdict struct{ nod, known bool }
	v, _ := answerTo(f, question{"program", fmt.Sprint(pid)}, fmt.Sprint(pid), func() verdict {
		own, ok := debug.ReadBuildInfo()
		program, err := f.openProgram(pid)
		if !ok || err != nil {
			return verdict{}
		}
		defer program.Close()
		other, err := buildinfo.Read(program)
		return verdict{nod: err == nil && other.Main.Path == own.Main.Path, known: true}
	})
	return v.nod, v.known
}

// release takes the mark off the server, so that another nod need not find out that this one has ended.
func (s *serverWatcher) release(ctx context.Context) {
	if !s.told().owned {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	// A mark that stays names a dead process, which stops nobody.
	_ = s.screens.SetOwner(ctx, s.life, s.mark.String(), "")
}
