package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/fault"
)

func newDocs(env *Env) *cobra.Command {
	docs := &cobra.Command{
		Use:     "docs",
		Short:   "Write the manual pages",
		Example: "  plimsoll docs man --dir ~/.local/share/man/man1",
		Args:    knownCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	docs.AddCommand(newMan(env))
	return docs
}

func newMan(env *Env) *cobra.Command {
	dir := "."
	cmd := &cobra.Command{
		Use:     "man",
		Short:   "Write a manual page for each command",
		Example: "  plimsoll docs man --dir ~/.local/share/man/man1\n  man plimsoll-chat",
		Args:    atMost(0, "it takes no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return fault.New(fault.Usage, "--dir: %w", err).Hint("give a directory that you may write to")
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			// The page's date is the zero time's, so that the same version writes the same page.
			header := &doc.GenManHeader{Section: "1", Source: "plimsoll " + tool().Version, Date: &time.Time{}}
			if err := doc.GenManTree(root, header, dir); err != nil {
				return fault.New(fault.RunFailed, "cannot write the manual pages: %w", err)
			}
			_, err := fmt.Fprintf(env.Stderr, "wrote the manual pages to %s\n", dir)
			return err
		},
	}
	addGroup(cmd, "Output", func(set *pflag.FlagSet) {
		stringVar(set, &dir, "dir", "directory", "where the pages go; made when it does not exist")
	})
	return cmd
}
