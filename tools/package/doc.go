// Command package builds what a release gives to those who have no Go: the binary for each system, in archives, Debian
// and RPM packages and a container image, with the licences of all that is in it, checksums, and a list of its parts.
//
//	package -version v0.2.0 [-out dist] [-ldflags …] [PLATFORM…]
//
// It runs at the root of a clone, on any system that has Go: nothing of it needs a daemon, root, or the tools of the
// systems that it packs for. The same commit, version and Go give the same bytes: times are that of the commit (or
// SOURCE_DATE_EPOCH), entries are sorted, and owners are root. 'release prepare', in a module beside it, is what comes
// before: the versions of the modules.
//
// It is a module of its own, since what it needs is much and the product has none of it.
package main
