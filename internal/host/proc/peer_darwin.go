package proc

import (
	"errors"
	"net"
)

// Peer is not supported on macOS: it returns errors.ErrUnsupported.
func Peer(net.Conn) (uid int, pids []int, err error) { return 0, nil, errors.ErrUnsupported }
