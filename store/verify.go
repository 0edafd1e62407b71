package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"
)

// openFile opens path with bbolt. bbolt trusts its pages: on a damaged file it panics, or reads
// memory that has no file behind it; both become an error here.
func openFile(path string) (db *bolt.DB, err error) {
	defer recovered(&err)()
	return bolt.Open(path, 0o600, &bolt.Options{Timeout: lockWait, FreelistType: bolt.FreelistMapType})
}

// readAll touches every key and value once, so that a damaged page is met at the start, where it
// ends in a sentence, and not in the middle of an answer.
func readAll(db *bolt.DB) (err error) {
	defer recovered(&err)()
	return db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(_ []byte, b *bolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error {
				crc32.Update(crc32.ChecksumIEEE(k), crc32.IEEETable, v)
				return nil
			})
		})
	})
}

// recovered turns a panic or a memory fault of the code that follows into an error.
func recovered(err *error) func() {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if r := recover(); r != nil {
			*err = fmt.Errorf("a page can't be read: %v", r)
		}
	}
}

// The head of a bbolt file: two meta pages, each a page header and then magic, version and page
// size (4 bytes each), flags, the root bucket (16 bytes), the free list's page, the number of pages
// in use and the transaction (8 bytes each). bbolt, internal/common/meta.go.
const (
	pageHeader  = 16
	metaMagic   = 0xED0CDAED
	pageSizeAt  = pageHeader + 8
	pagesUsedAt = pageHeader + 40
	metaLength  = pageHeader + 64
)

// checkLength refuses a file that is shorter than its first meta page says: bbolt would map it and
// die on the first read past its end. A file that is absent or empty is fine.
func checkLength(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	head := make([]byte, metaLength)
	if _, err := io.ReadFull(f, head); err != nil {
		return fmt.Errorf("it ends after %d bytes", info.Size())
	}
	if binary.NativeEndian.Uint32(head[pageHeader:]) != metaMagic {
		return nil // bbolt tries the second meta page, or says what is wrong
	}
	size := int64(binary.NativeEndian.Uint32(head[pageSizeAt:]))
	used := int64(binary.NativeEndian.Uint64(head[pagesUsedAt:]))
	if want := size * used; info.Size() < want {
		return fmt.Errorf("it has %d of %d bytes", info.Size(), want)
	}
	return nil
}
