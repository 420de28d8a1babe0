package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/setting"
)

// TestReferenceIsCurrent checks that the generated pages in docs are up to date.
func TestReferenceIsCurrent(t *testing.T) {
	t.Parallel()
	for command, page := range map[string]string{"reference": "settings.md", "flags": "flags.md"} {
		var out bytes.Buffer
		env := &Env{Args: []string{"docs", command}, Stdout: &out, Stderr: &out, LookupEnv: os.LookupEnv}
		if err := newRoot(env).Execute(); err != nil {
			t.Fatal(err)
		}
		written, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(written), out.String()); diff != "" {
			t.Errorf("run 'plimsoll docs %s > docs/%s':\n%s", command, page, diff)
		}
	}
}

// readsIt reports whether a command reads the file or the directory that a setting names, or keeps something of its own
// there.
func readsIt(cmd *cobra.Command, name string) bool {
	return slices.Contains([]string{
		"ca", "cert", "key", "requests", "protocol", "xmlfile", "tokenfile", "from", "dir", "journal", "data", "data-file",
	}, name)
}

// TestSettingsOfAllCommands: a setting has a help, no command has one name or one place in its plan
// twice, and the place ends with the unit.
func TestSettingsOfAllCommands(t *testing.T) {
	t.Parallel()
	count := 0
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		var paths []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			s, ok := f.Value.(*setting.Setting)
			if !ok {
				if f.Hidden {
					return // an earlier name of another flag
				}
				if !slices.Contains([]string{"version", "child", "help", "no-descriptions"}, f.Name) { // the last two are cobra's
					t.Errorf("%s: --%s is no setting", cmd.CommandPath(), f.Name)
				}
				return
			}
			count++
			if s.Help == "" || s.Kind == "" || s.Heading == "" {
				t.Errorf("%s: --%s says too little of itself: %q, %q, %q", cmd.CommandPath(), s.Name, s.Heading, s.Kind, s.Help)
			}
			if (s.Kind == "file" || s.Kind == "directory") && s.Written == readsIt(cmd, s.Name) {
				t.Errorf("%s: --%s: whether it is read or written is not known", cmd.CommandPath(), s.Name)
			}
			if s.Written && s.Set("-") == nil {
				t.Errorf("%s: --%s takes -", cmd.CommandPath(), s.Name)
			}
			if s.Path == "" {
				return
			}
			if slices.Contains(paths, s.Path) {
				t.Errorf("%s: %s stands in the plan twice", cmd.CommandPath(), s.Path)
			}
			paths = append(paths, s.Path)
			ns, size := strings.HasSuffix(s.Path, string(setting.Time)), strings.HasSuffix(s.Path, string(setting.Bytes))
			if ns != (s.Unit == setting.Time) || size != (s.Unit == setting.Bytes) {
				t.Errorf("%s: the place of --%s is %s, and its unit %s", cmd.CommandPath(), s.Name, s.Path, s.Unit)
			}
		})
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look(newRoot(&Env{}))
	if count < 150 {
		t.Errorf("%d settings: are they still found?", count)
	}
}
