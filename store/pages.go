package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"

	bolt "go.etcd.io/bbolt"
)

// bbolt trusts its pages. If one is damaged, bbolt panics (also on a goroutine of its own), reads memory
// without a file behind it, loops, or hands out a page that is in use. So nod reads every page once when it
// opens the file, and checks everything that bbolt relies on.
//
// A page has a header (id 8, flags 2, count 2, overflow 4: the number of following pages that belong to it),
// then count elements of 16 bytes: of a branch (pos 4, ksize 4, page 8), of a leaf (flags 4, pos 4, ksize 4,
// vsize 4), pos counted from the element. A bucket is a leaf's value: root 8, sequence 8; if root is 0, the
// page follows. The file begins with two meta pages, of which the one with the higher transaction counts:
// magic, version, page size, flags (4 each), the root bucket (16), the page of the free list, the number of
// pages in use, the transaction, a checksum of all that (8 each). Source: bbolt, internal/common.
const (
	pageHead = 16

	branchPage, leafPage, freePage = 1, 2, 16

	metaMagic = 0xED0CDAED
	metaSum   = 56 // where the checksum is
)

// pages are the pages of one file.
type pages struct {
	file io.ReaderAt
	size uint64
	used uint64          // the number of pages in use
	met  map[uint64]bool // pages seen in the tree or the free list; each must be seen only once
}

var order = binary.NativeEndian

// checkPages checks an open database. Its lock keeps others from writing.
func checkPages(db *bolt.DB) error {
	f, err := os.Open(db.Path())
	if err != nil {
		return err
	}
	defer f.Close()
	p := &pages{file: f, size: uint64(db.Info().PageSize), met: map[uint64]bool{}}
	meta, err := p.meta()
	if err != nil {
		return err
	}
	p.used = order.Uint64(meta[40:])
	if err := p.free(order.Uint64(meta[32:])); err != nil {
		return fmt.Errorf("free list: %w", err)
	}
	return p.tree(order.Uint64(meta[16:]), nil, nil)
}

// meta returns the valid meta page with the higher transaction.
func (p *pages) meta() (newest []byte, err error) {
	for at := range uint64(2) {
		meta := make([]byte, metaSum+8)
		if _, err := p.file.ReadAt(meta, int64(at*p.size+pageHead)); err != nil {
			return nil, err
		}
		sum := fnv.New64a()
		sum.Write(meta[:metaSum])
		sound := order.Uint32(meta) == metaMagic && order.Uint64(meta[metaSum:]) == sum.Sum64()
		if sound && (newest == nil || order.Uint64(meta[48:]) > order.Uint64(newest[48:])) {
			newest = meta
		}
	}
	if newest == nil {
		return nil, errors.New("no meta page can be read")
	}
	return newest, nil
}

// take records that a page was seen, and fails if it was seen before.
func (p *pages) take(id uint64) error {
	if id < 2 || id >= p.used {
		return fmt.Errorf("page %d is none of %d", id, p.used)
	}
	if p.met[id] {
		return fmt.Errorf("page %d is there twice", id)
	}
	p.met[id] = true
	return nil
}

// page reads a page with its overflow pages.
func (p *pages) page(id uint64) ([]byte, error) {
	if err := p.take(id); err != nil {
		return nil, err
	}
	data := make([]byte, p.size)
	if _, err := p.file.ReadAt(data, int64(id*p.size)); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	if is := order.Uint64(data); is != id {
		return nil, fmt.Errorf("page %d calls itself %d", id, is)
	}
	for range order.Uint32(data[12:]) {
		if err := p.take(id + uint64(len(data))/p.size); err != nil {
			return nil, err
		}
		data = append(data, make([]byte, p.size)...)
	}
	if _, err := p.file.ReadAt(data, int64(id*p.size)); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	return data, nil
}

// free reads the free list: the ids of pages, with their number before them if that does not fit into the
// header.
func (p *pages) free(id uint64) error {
	data, err := p.page(id)
	if err != nil {
		return err
	}
	if flags := order.Uint16(data[8:]); flags != freePage {
		return fmt.Errorf("page %d is another", id)
	}
	count, ids := uint64(order.Uint16(data[10:])), data[pageHead:]
	if count == 0xFFFF {
		count, ids = order.Uint64(ids), ids[8:]
	}
	if count > uint64(len(ids)/8) {
		return fmt.Errorf("page %d says that %d are free", id, count)
	}
	for i := range count {
		if err := p.take(order.Uint64(ids[8*i:])); err != nil {
			return err
		}
	}
	return nil
}

// tree checks the pages of a bucket below one page. Its keys begin with least and are less than end; nil: no
// bound.
func (p *pages) tree(id uint64, least, end []byte) error {
	data, err := p.page(id)
	if err == nil {
		err = p.elements(data, least, end)
	}
	if err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	return nil
}

func (p *pages) elements(data []byte, least, end []byte) error {
	flags, count := order.Uint16(data[8:]), uint64(order.Uint16(data[10:]))
	if flags != branchPage && flags != leafPage || flags == branchPage && count == 0 {
		return fmt.Errorf("it is of kind %d, with %d keys", flags, count)
	}
	if pageHead+16*count > uint64(len(data)) {
		return fmt.Errorf("%d keys", count)
	}
	keys, values := make([][]byte, count+1), make([][]byte, count)
	for i := range count {
		e := data[pageHead+16*i:]
		pos, key, value := uint64(order.Uint32(e)), uint64(order.Uint32(e[4:])), uint64(0)
		if flags == leafPage {
			pos, key, value = uint64(order.Uint32(e[4:])), uint64(order.Uint32(e[8:])), uint64(order.Uint32(e[12:]))
		}
		if pos+key+value > uint64(len(e)) {
			return fmt.Errorf("key %d lies outside", i)
		}
		keys[i], values[i] = e[pos:pos+key], e[pos+key:pos+key+value]
		if i > 0 && bytes.Compare(keys[i-1], keys[i]) >= 0 || end != nil && bytes.Compare(keys[i], end) >= 0 {
			return fmt.Errorf("key %d is out of order", i)
		}
	}
	if count > 0 && least != nil && !bytes.Equal(keys[0], least) {
		return errors.New("its first key is another than the branch says") // bbolt would put it into the branch once more
	}
	keys[count] = end
	for i := range count {
		e := data[pageHead+16*i:]
		err := error(nil)
		if flags == branchPage {
			err = p.tree(order.Uint64(e[8:]), keys[i], keys[i+1])
		} else if order.Uint32(e)&1 != 0 {
			err = p.bucket(values[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *pages) bucket(value []byte) error {
	if len(value) < 16 {
		return errors.New("a bucket is cut off")
	}
	if root := order.Uint64(value); root != 0 {
		return p.tree(root, nil, nil)
	}
	if value = value[16:]; len(value) < pageHead {
		return errors.New("a bucket is cut off")
	}
	return p.elements(value, nil, nil)
}
