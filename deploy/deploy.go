// Package deploy installs nod on a machine and removes it again: calls of `nod hook` in the agents' own
// settings files, of which every other byte is kept, and nod as a user service.
package deploy
