// Package deploy puts nod on a machine and takes it off again: calls of `nod hook` in the agents' own settings
// files, of which it keeps every other byte, and nod as a service of the user's own.
package deploy
