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
	return toolOf(rundoc.Tool{Version: version, Commit: commit, Go: runtime.Version()}, built())
}

// built is the build information of this binary; empty where there is none.
func built() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return &debug.BuildInfo{}
}

// toolOf adds to what the linker says of a program what the build information does.
func toolOf(t rundoc.Tool, info *debug.BuildInfo) rundoc.Tool {
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
func WithVersion(path string) string { return withVersion(path, built().Deps) }

func withVersion(path string, libraries []*debug.Module) string {
	found, version := "", ""
	for _, m := range libraries {
		if (path == m.Path || strings.HasPrefix(path, m.Path+"/")) && len(m.Path) > len(found) {
			found, version = m.Path, " "+m.Version
		}
	}
	return path + version
}
