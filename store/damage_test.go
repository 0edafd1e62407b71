package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/internal/testrun"
	"nod/nudge"
)

// damagedDir names the directory of a child process that uses every file there as its database: what bbolt makes of a
// damaged page may end the process.
const damagedDir = "NOD_TEST_DAMAGED_DIR"

// useDamaged does with each file what a running nod does, and prints how it went.
func useDamaged(dir string) {
	// A page that leads to itself is read without end.
	limit := syscall.Rlimit{Cur: 8 << 30, Max: 8 << 30}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		panic(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.db"))
	if err != nil {
		panic(err)
	}
	for _, path := range files {
		fmt.Printf("%s\n", filepath.Base(path))
		late := time.AfterFunc(20*time.Second, func() { panic("it does not end") })
		fmt.Printf("%s\n", strings.ReplaceAll(useOne(path), "\n", " "))
		late.Stop()
		os.Remove(path)
	}
}

func useOne(path string) string {
	s, err := Open(path)
	if err != nil {
		return "refused: " + err.Error()
	}
	defer s.Close()
	found := 0
	err = s.Update(func(tx *Tx) error {
		for _, n := range append(tx.All(), append(tx.Live(), tx.Due(noon.Add(time.Hour))...)...) {
			found++
			_ = tx.Last(n.Pane)
			if found%3 == 0 {
				n.Tail = []string{strings.Repeat("y", 3000)}
				tx.Put(n)
			}
			if found%7 == 0 {
				tx.Delete(n.ID)
			}
		}
		tx.Preferences()
		tx.OtherMessages()
		for i := range 50 {
			tx.Note(nudge.Event{Kind: nudge.PromptDetected, Involved: nudge.Involved{Nudge: fmt.Sprint(i)}})
		}
		tx.Forget(noon, noon)
		return nil
	})
	if err == nil {
		_, err = s.SetAside()
	}
	for range 3 {
		if err == nil {
			err = put(s, "new")
		}
	}
	if err != nil {
		return "failed: " + err.Error()
	}
	return fmt.Sprintf("used: %d", found)
}

// damage changes a database at random as a bad disk does.
func damage(r *rand.Rand, whole []byte) []byte {
	data := bytes.Clone(whole)
	at := r.IntN(len(data))
	if r.IntN(2) == 0 { // heads of pages, and of what they hold, weigh more
		at = r.IntN(len(data)/4096)*4096 + r.IntN(80)
	}
	switch r.IntN(6) {
	case 0, 1:
		data[at] ^= 1 << r.IntN(8)
	case 2:
		data[at] = byte(r.Uint32())
	case 3: // a page number
		binary.NativeEndian.PutUint64(data[min(at&^7, len(data)-8):], uint64(r.IntN(len(data)/4096)))
	case 4: // a sector that was written elsewhere
		from := r.IntN(len(data)/512) * 512
		copy(data[at&^511:], data[from:from+512])
	case 5: // a page that is another
		from := r.IntN(len(data)/4096) * 4096
		copy(data[at&^4095:], data[from:from+4096])
	}
	return data
}

// TestADamagedDatabaseNeverEndsNod: it is refused with a sentence that says what to do, or it works.
func TestADamagedDatabaseNeverEndsNod(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(filled(t))
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	for i := range testrun.Rounds(40, 100) {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.db", i)), damage(r, whole), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kinds := map[string]int{}
	for {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), damagedDir+"="+dir)
		var said, died bytes.Buffer
		child.Stdout, child.Stderr = &said, &died
		err := child.Run()
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		for i := 1; i < len(lines); i += 2 {
			kind, rest, _ := strings.Cut(lines[i], ":")
			kinds[kind]++
			if kind == "failed" || kind == "refused" && (!strings.Contains(rest, "nod backup") || !strings.Contains(rest, "was left as it is")) {
				t.Errorf("%s: %s", lines[i-1], lines[i])
			}
		}
		if err == nil {
			break
		}
		last := lines[len(lines)-1]
		kinds["ended"]++
		t.Errorf("%s ended the process: %v\n%.600s", last, err, died.String())
		if os.Remove(filepath.Join(dir, last)) != nil {
			t.Fatal("it does not even begin")
		}
	}
	t.Log(kinds)
}

// TestABucketThatIsNotThereIsDamage: one flipped bit gives it another name.
func TestABucketThatIsNotThereIsDamage(t *testing.T) {
	for _, name := range ownBuckets {
		path := filled(t)
		db, err := bolt.Open(path, 0o600, nil)
		if err == nil {
			err = db.Update(func(tx *bolt.Tx) error { return tx.DeleteBucket(name) })
		}
		if err != nil {
			t.Fatal(err)
		}
		db.Close()
		refused(t, path, "damaged", string(name), "was left as it is", "nod backup")
		if err := Inspect(path); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

// TestThePlacesAndTheOrderOfKeys of a page of bbolt's.
func TestThePlacesAndTheOrderOfKeys(t *testing.T) {
	for _, c := range []struct {
		keys       string // of one byte each
		short      int    // how much of the page is missing
		least, end string // what a branch says of them; empty: nothing
		sound      bool
	}{
		{"", 0, "", "", true}, {"a", 0, "", "", true}, {"ab", 0, "", "", true}, {"abc", 0, "a", "d", true}, {"ba", 0, "", "", false}, {"aa", 0, "", "", false},
		{"acb", 0, "", "", false}, {"abc", 1, "", "", false}, {"abc", 20, "", "", false}, {"abc", 0, "b", "", false}, {"abc", 0, "", "c", false}, {"abc", 0, "", "b", false},
	} {
		bound := func(key string) []byte {
			if key == "" {
				return nil
			}
			return []byte(key)
		}
		count := len(c.keys)
		data := make([]byte, pageHead+16*count, pageHead+17*count)
		order.PutUint16(data[8:], leafPage)
		order.PutUint16(data[10:], uint16(count))
		for i := range count {
			order.PutUint32(data[pageHead+16*i+4:], uint32(16*(count-i)+i))
			order.PutUint32(data[pageHead+16*i+8:], 1)
		}
		data = append(data, c.keys...)
		if err := new(pages).elements(data[:len(data)-c.short], bound(c.least), bound(c.end)); (err == nil) != c.sound {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestAPageIsTakenOnce, and only if it is in use.
func TestAPageIsTakenOnce(t *testing.T) {
	p := &pages{used: 5, met: map[uint64]bool{}}
	for _, c := range []struct {
		id   uint64
		free bool
	}{{1, false}, {2, true}, {4, true}, {2, false}, {3, true}, {5, false}} {
		if err := p.take(c.id); (err == nil) != c.free {
			t.Errorf("page %d: %v", c.id, err)
		}
	}
}

// TestATornMetaPageIsNoDamage: a crash may leave the newer one half written, and then the older one counts.
func TestATornMetaPageIsNoDamage(t *testing.T) {
	for at := range 2 {
		path := filled(t)
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		root := file[at*os.Getpagesize()+pageHead+16:]
		order.PutUint64(root, 1<<40)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path)
		if err != nil {
			t.Errorf("meta page %d: %v", at, err)
			continue
		}
		s.Close()
	}
}

// TestASoundDatabaseIsNeverCalledDamaged, whatever was written and deleted in it.
func TestASoundDatabaseIsNeverCalledDamaged(t *testing.T) {
	t.Parallel()
	s := openTest(t)
	s.db.NoSync = true
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range testrun.Rounds(30, 300) {
		update(t, s, func(tx *Tx) {
			for range r.IntN(60) {
				number := r.IntN(3000)
				n := sample(fmt.Sprintf("k%df", number), fmt.Sprintf("%%%d", r.IntN(50)), number)
				n.Tail = []string{strings.Repeat("x", r.IntN(1<<r.IntN(15)))}
				tx.Put(n)
				tx.Note(nudge.Event{Kind: nudge.PromptDetected, Involved: nudge.Involved{Nudge: n.ID}})
			}
			all := tx.All()
			for range r.IntN(60) {
				if len(all) > 0 {
					tx.Delete(all[r.IntN(len(all))].ID)
				}
			}
			if r.IntN(30) == 0 {
				for _, n := range all {
					tx.Delete(n.ID)
				}
			}
		})
		if err := checkPages(s.db); err != nil {
			t.Fatal(err)
		}
	}
}
