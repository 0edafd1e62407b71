package proc

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"strconv"
	"strings"
)

// Client is one end of a TCP connection within this machine, from the kernel's table.
type Client struct {
	UID   int    // owner of the socket
	inode string // the socket's number, as in the names of open files
}

// established is the state of an open connection in the table (the kernel's include/net/tcp_states.h).
const established = "01"

// clientIn finds an open connection from local to remote in a table with the format of /proc/net/tcp and
// /proc/net/tcp6 (proc(5)).
func clientIn(table string, local, remote netip.AddrPort) (Client, bool) {
	for line := range strings.Lines(table) {
		// sl local_address rem_address st queues timer retransmissions uid timeout inode …
		fields := strings.Fields(line)
		if len(fields) < 10 || fields[3] != established || !isAt(fields[1], local) || !isAt(fields[2], remote) {
			continue
		}
		uid, err := strconv.Atoi(fields[7])
		if err != nil || fields[9] == "0" { // inode 0: the process has closed the socket
			continue
		}
		return Client{UID: uid, inode: fields[9]}, true
	}
	return Client{}, false
}

// isAt reports whether a field of the table is the address want. Each 32-bit word is in the machine's byte
// order, in hex.
func isAt(field string, want netip.AddrPort) bool {
	text, portText, _ := strings.Cut(field, ":")
	words, err := hex.DecodeString(text)
	if err != nil || len(words)%4 != 0 {
		return false
	}
	for at := 0; at < len(words); at += 4 {
		binary.NativeEndian.PutUint32(words[at:], binary.BigEndian.Uint32(words[at:]))
	}
	ip, ok := netip.AddrFromSlice(words)
	port, err := strconv.ParseUint(portText, 16, 16)
	return ok && err == nil && ip.Unmap() == want.Addr().Unmap() && uint16(port) == want.Port()
}
