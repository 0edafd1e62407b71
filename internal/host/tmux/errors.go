package tmux

import (
	"errors"
	"fmt"
)

// What can go wrong with a tmux server. All errors of this package can be told apart by errors.Is
// with these; what wraps them says which server and what was being done.
var (
	// ErrNoServer: nothing listens at the socket. Normal: people start tmux later.
	ErrNoServer = errors.New("no tmux server is running there; start tmux, or check NOD_TMUX_SOCKET")
	// ErrDenied: the socket, or the server's own access list, refuses this user.
	ErrDenied = errors.New("the tmux server does not let this user in; run nod as the user who owns it")
	// ErrHung: the server did not answer before the deadline.
	ErrHung = errors.New("the tmux server does not answer; if that lasts, see whether its process is stopped")
	// ErrNoPane: the pane does not exist, or not in this life of the server.
	ErrNoPane = errors.New("there is no such pane")
	// ErrStale: what the guard demands was not so when tmux looked. Nothing was typed.
	ErrStale = errors.New("the pane is not as it was read, so nothing was typed; look at it again")
	// ErrUnsure: the command was sent and its outcome is not known. It may have been typed.
	ErrUnsure = errors.New("the keys may have been typed or not; look at the pane")
	// ErrProtocol: the tmux program and the server do not understand each other, or the answer made no sense.
	ErrProtocol = errors.New("the tmux program and the tmux server do not understand each other; nod needs tmux 3.2 or later on both sides")
)

// errLost: the server went away while it was being asked. To who reads, that is no server; to who
// types, it is ErrUnsure.
var errLost = errors.New("the tmux server ended while it was being asked")

// oldServer is a server that nod does not work with. It may run on after the program was brought up to date.
type oldServer struct{ version string }

func (e *oldServer) Error() string {
	return fmt.Sprintf("it is tmux %s, and nod needs %s or later: bring tmux up to date, then end this server and start it again", e.version, Oldest)
}

func (e *oldServer) Unwrap() error { return ErrProtocol }
