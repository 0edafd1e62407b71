package proc

import (
	"errors"
	"net/netip"
)

// ClientOf can't be told here: its error is errors.ErrUnsupported.
func ClientOf(_, _ netip.AddrPort) (Client, error) { return Client{}, errors.ErrUnsupported }

// Holders can't be told here, as ClientOf.
func (c Client) Holders() ([]int, error) { return nil, errors.ErrUnsupported }
