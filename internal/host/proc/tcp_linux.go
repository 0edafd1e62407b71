package proc

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
)

// clientLooks is how often the tables are read for one connection. A table is not read atomically, so
// connections that open and close meanwhile can hide an entry.
const clientLooks = 3

var errNoClient = errors.New("the kernel's table has no such connection")

// ClientOf finds the socket at local of an open connection to remote.
func ClientOf(local, remote netip.AddrPort) (Client, error) {
	for range clientLooks {
		for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
			table, err := os.ReadFile(file)
			if err != nil && !errors.Is(err, os.ErrNotExist) { // a kernel without IPv6
				return Client{}, fmt.Errorf("read the table of connections: %w", err)
			}
			if c, ok := clientIn(string(table), local, remote); ok {
				return c, nil
			}
		}
	}
	return Client{}, errNoClient
}

// Holders returns the processes that have the socket open. Another user's can't be seen.
func (c Client) Holders() (pids []int, err error) {
	table, err := snapshot(nil)
	if err != nil {
		return nil, err
	}
	socket := "socket:[" + c.inode + "]"
	for pid := range table {
		files, err := openFiles(pid)
		if err != nil {
			continue // it has ended, or is another user's
		}
		for _, file := range files {
			if file == socket {
				pids = append(pids, pid)
				break
			}
		}
	}
	if len(pids) == 0 {
		return nil, fmt.Errorf("no process has the %s open", socket)
	}
	slices.Sort(pids)
	return pids, nil
}
