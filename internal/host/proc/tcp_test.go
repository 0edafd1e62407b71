package proc

import (
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"testing"
)

// TestTheClientOfAConnection over IPv4, IPv6, and IPv4 mapped into IPv6.
func TestTheClientOfAConnection(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells it")
	}
	for _, at := range []string{"127.0.0.1:0", "[::1]:0", "[::ffff:127.0.0.1]:0"} {
		listener, err := net.Listen("tcp", at)
		if err != nil {
			t.Logf("%s: %v", at, err) // a machine without IPv6
			continue
		}
		client, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		served, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		its, ours := netip.MustParseAddrPort(served.RemoteAddr().String()), netip.MustParseAddrPort(served.LocalAddr().String())
		found, err := ClientOf(its, ours)
		if err != nil || found.UID != os.Getuid() {
			t.Errorf("%s: the client is %+v, %v", at, found, err)
		}
		if pids, err := found.Holders(); err != nil || !slices.Equal(pids, []int{os.Getpid()}) {
			t.Errorf("%s: it is held by %v, %v; want this process alone", at, pids, err)
		}
		client.Close()
		if found, err := ClientOf(its, ours); err == nil {
			t.Errorf("%s: a closed connection is %+v's", at, found)
		}
		served.Close()
		listener.Close()
	}
}

// FuzzClientIn: an invalid table names nobody, and a line counts only if both addresses match.
func FuzzClientIn(f *testing.F) {
	const line = "   1: 0100007F:A695 0100007F:1E61 01 00000000:00000000 00:00000000 00000000  1000        0 22932 1 0000000048964038 100 0 0 10 0\n"
	f.Add(line, "127.0.0.1:42645", "127.0.0.1:7777")
	f.Add("  sl  local_address rem_address\n"+line, "[::1]:42645", "127.0.0.1:7777")
	f.Fuzz(func(t *testing.T, table, local, remote string) {
		from, err := netip.ParseAddrPort(local)
		to, err2 := netip.ParseAddrPort(remote)
		if err != nil || err2 != nil {
			return
		}
		found, ok := clientIn(table, from, to)
		if ok && (found.inode == "" || found.inode == "0") {
			t.Errorf("%+v is no socket", found)
		}
		if _, swapped := clientIn(table, to, from); ok && swapped && table == line && from != to {
			t.Error("one line is the client's end and the server's")
		}
	})
}
