// Package deploy holds what puts nod on a machine: the systemd user unit.
package deploy

import _ "embed"

// Unit is the systemd user unit that runs `nod run`.
//
//go:embed nod.service
var Unit string
