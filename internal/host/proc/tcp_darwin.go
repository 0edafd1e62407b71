package proc

import (
	"errors"
	"net/netip"
)

// ClientOf is not supported on macOS: it returns errors.ErrUnsupported.
func ClientOf(_, _ netip.AddrPort) (Client, error) { return Client{}, errors.ErrUnsupported }

// Holders is not supported on macOS either.
func (c Client) Holders() ([]int, error) { return nil, errors.ErrUnsupported }
