package run

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// The linker says which version a program is, else the build information, else it is one in the making.
func TestTool(t *testing.T) {
	revision := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "now"}}
	for name, tt := range map[string]struct {
		linked rundoc.Tool
		main   string
		want   rundoc.Tool
	}{
		"linked":      {rundoc.Tool{Version: "v1", Commit: "def"}, "v2", rundoc.Tool{Version: "v1", Commit: "def"}},
		"installed":   {rundoc.Tool{}, "v2", rundoc.Tool{Version: "v2", Commit: "abc"}},
		"built":       {rundoc.Tool{}, "(devel)", rundoc.Tool{Version: "devel", Commit: "abc"}},
		"not known":   {rundoc.Tool{}, "", rundoc.Tool{Version: "devel", Commit: "abc"}},
		"half linked": {rundoc.Tool{Commit: "def"}, "v2", rundoc.Tool{Version: "v2", Commit: "def"}},
	} {
		if got := toolOf(tt.linked, &debug.BuildInfo{Main: debug.Module{Version: tt.main}, Settings: revision}); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
	if got := Tool(); got.Version == "" || got.Go != runtime.Version() {
		t.Errorf("%+v", got)
	}
	libraries := []*debug.Module{{Path: "a.org/b/c", Version: "v3"}, {Path: "a.org/b", Version: "v1"}, {Path: "a.org/b", Version: "v2"},
		{Path: "a.org/x", Version: "v4"}}
	for path, want := range map[string]string{"a.org/b": "a.org/b v1", "a.org/b/d": "a.org/b/d v1", "a.org/b/c": "a.org/b/c v3",
		"a.org/b/c/d": "a.org/b/c/d v3", "a.org/bc": "a.org/bc", "a.org/x": "a.org/x v4"} {
		if got := withVersion(path, libraries); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	if got := WithVersion("nobody.knows/it"); got != "nobody.knows/it" {
		t.Error(got)
	}
}
