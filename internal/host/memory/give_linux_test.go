package memory

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestGiveBack: less of the program's file is in memory, and the program goes on.
func TestGiveBack(t *testing.T) {
	before := ofFiles(t)
	if err := GiveBack(os.DevNull); err != nil {
		t.Fatal(err)
	}
	if after := ofFiles(t); after >= before {
		t.Errorf("%d kB of files are in memory, %d before", after, before)
	}
}

// TestGiveBackWhatIsReadOfADatabase: the pages of a file that the process maps and only reads, as bbolt does, are given back, and are read again
// as they are by then.
func TestGiveBackWhatIsReadOfADatabase(t *testing.T) {
	const size = 8 << 20
	path, link := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "link")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(bytes.Repeat([]byte("a"), size)); err != nil {
		t.Fatal(err)
	}
	read, err := unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(read)
	if n := bytes.Count(read, []byte("a")); n != size {
		t.Fatalf("%d bytes are read of %d", n, size)
	}
	before := ofFiles(t)
	if err := GiveBack(link); err != nil {
		t.Fatal(err)
	}
	if after := ofFiles(t); after > before-size/1024 {
		t.Errorf("%d kB of files are in memory, %d before", after, before)
	}
	if _, err := file.WriteAt([]byte("b"), size/2); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(read, []byte("a")); n != size-1 || read[size/2] != 'b' {
		t.Errorf("%d bytes are read as they were, and %q was written", n, read[size/2])
	}
}

func ofFiles(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "RssFile:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb
}

// TestMappingsOfAProcess: only what nobody changed is the file's. A mapping whose values are not there may be
// changed.
func TestMappingsOfAProcess(t *testing.T) {
	const smaps = `00400000-00f8e000 r-xp 00000000 fe:00 1234    /opt/my nod
Size:              11832 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
00f8e000-018a2000 r--p 00b8e000 fe:00 1234    /opt/my nod
Anonymous:            12 kB
018a2000-01944000 rw-p 014a2000 fe:00 1234    /opt/my nod
Anonymous:             0 kB
c000000000-c000400000 rw-p 00000000 00:00 0 
Anonymous:          4096 kB
7ffd-7ffe r-xp 00000000 00:00 0    [vdso]
`
	var got []mapping
	for m, err := range mappings([]byte(smaps)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m)
	}
	want := []mapping{
		{0x400000, 0xf8e000, "/opt/my nod", false, false},
		{0xf8e000, 0x18a2000, "/opt/my nod", false, true},
		{0x18a2000, 0x1944000, "/opt/my nod", true, false},
		{0xc000000000, 0xc000400000, "", true, true},
		{0x7ffd, 0x7ffe, "[vdso]", false, true},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	for m, err := range mappings([]byte("4000-nod r-xp\n")) {
		if err == nil {
			t.Errorf("%+v", m)
		}
	}
}
