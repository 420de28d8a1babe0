//go:build !linux

package peer

import "net"

// Processes finds no process: only Linux says whose a connection is.
type Processes struct{}

// New makes one.
func New() *Processes { return &Processes{} }

// Of is nil.
func (*Processes) Of(net.Conn) *Process { return nil }

// Process is never found.
type Process struct{}

// Read gives nothing.
func (*Process) Read() Reading { return Reading{} }

// Again gives nothing.
func (*Process) Again() Reading { return Reading{} }

// Release does nothing.
func (*Process) Release() {}
