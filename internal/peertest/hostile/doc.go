// Package hostile is the peers that nobody wants: servers that lie, stall, flood, fragment, reset, redirect and bomb,
// and clients that do the same to servers. Each is a mode with a name, and the tests of all that connects or listens
// go through all modes of its protocol: a new mode is one for everybody, a new client or listener meets them all.
package hostile
