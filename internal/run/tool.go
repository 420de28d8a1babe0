package run

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/plimsoll/plimsoll/rundoc"
)

// package state: set once by the linker, -ldflags "-X …/internal/run.version=… -X …run.commit=…".
var version, commit string

// Tool says which program this is. What the linker did not set comes from the build
// information that the Go toolchain leaves in a binary.
func Tool() rundoc.Tool {
	t := rundoc.Tool{Version: version, Commit: commit, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	if t.Version == "" {
		t.Version = info.Main.Version
	}
	if t.Version == "" || t.Version == "(devel)" {
		t.Version = "devel"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && t.Commit == "" {
			t.Commit = s.Value
		}
	}
	return t
}

// WithVersion adds its version to the import path of a library.
func WithVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return path
	}
	found := ""
	version := ""
	for _, m := range info.Deps {
		if (path == m.Path || strings.HasPrefix(path, m.Path+"/")) && len(m.Path) > len(found) {
			found, version = m.Path, " "+m.Version
		}
	}
	return path + version
}
