package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "package:", err)
		stop()
		os.Exit(1)
	}
}

// release is one that is being made.
type release struct {
	version    string // as the tag has it: v0.2.0
	commit     string
	date       time.Time // of the commit
	maintainer string
	ldflags    string
	out        string // the directory of what is made
	work       string // a directory of what is thrown away
	platforms  []platform
}

// platform is a system and a processor, as Go names them.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

// binary is the name of the program there.
func (p platform) binary() string {
	if p.os == "windows" {
		return "plimsoll.exe"
	}
	return "plimsoll"
}

func host() platform { return platform{runtime.GOOS, runtime.GOARCH} }

func everyPlatform() []platform {
	return []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"},
		{"windows", "amd64"}, {"windows", "arm64"}}
}

// name is that of an artefact: plimsoll_v0.2.0_linux_amd64.tar.gz.
func (r *release) name(p platform, ending string) string {
	return fmt.Sprintf("plimsoll_%s_%s_%s%s", r.version, p.os, p.arch, ending)
}

func run(ctx context.Context, out io.Writer, args []string) (err error) {
	r, err := parse(ctx, args)
	if err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "plimsoll-package-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.work)) }()
	// What an earlier release left would get into the checksums.
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	if err := r.make(ctx); err != nil {
		return err
	}
	return r.list(out)
}

func parse(ctx context.Context, args []string) (*release, error) {
	r := &release{}
	flags := flag.NewFlagSet("package", flag.ContinueOnError)
	flags.StringVar(&r.version, "version", "", "version of the release, as its tag has it")
	flags.StringVar(&r.commit, "commit", "", "commit that it is made of")
	flags.StringVar(&r.maintainer, "maintainer", "", "who answers for the packages: NAME <ADDRESS>")
	flags.StringVar(&r.ldflags, "ldflags", "", "flags of Go's linker")
	flags.StringVar(&r.out, "out", "dist", "directory to write to; what it has goes away")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if r.version == "" || strings.ContainsAny(r.version, "/\\ _") {
		return nil, fmt.Errorf("-version: %q is none: give one such as v0.2.0", r.version)
	}
	// Only its own directory is emptied.
	if filepath.Base(filepath.Clean(r.out)) != "dist" {
		return nil, fmt.Errorf("-out: %q is not named dist, and would be emptied", r.out)
	}
	for _, arg := range flags.Args() {
		at := slices.IndexFunc(everyPlatform(), func(p platform) bool { return p.String() == arg })
		if at < 0 {
			return nil, fmt.Errorf("%q is no platform: give some of %v", arg, everyPlatform())
		}
		r.platforms = append(r.platforms, everyPlatform()[at])
	}
	if len(r.platforms) == 0 {
		r.platforms = everyPlatform()
	}
	var err error
	r.date, err = commitDate(ctx)
	return r, err
}

// commitDate is the time that everything made here bears.
func commitDate(ctx context.Context) (time.Time, error) {
	text, given := os.LookupEnv("SOURCE_DATE_EPOCH")
	if !given {
		out, err := exec.CommandContext(ctx, "git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("git log: %w: outside of a clone, set SOURCE_DATE_EPOCH", err)
		}
		text = strings.TrimSpace(string(out))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %q is no number of seconds", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// make builds one platform after the other: the Go tool is busy on all processors with each.
func (r *release) make(ctx context.Context) error {
	parts, err := partsOf(ctx, r.platforms)
	if err != nil {
		return err
	}
	common, err := r.common(ctx, parts)
	if err != nil {
		return err
	}
	var images []imageOf
	for _, p := range r.platforms {
		binary, err := r.build(ctx, p)
		if err != nil {
			return err
		}
		if err := r.archive(p, binary, common); err != nil {
			return err
		}
		if err := r.writeSBOM(p, binary, parts); err != nil {
			return err
		}
		if p.os != "linux" {
			continue
		}
		if err := r.packages(p, binary, common); err != nil {
			return err
		}
		images = append(images, imageOf{p, binary})
	}
	if len(images) > 0 {
		if err := r.image(images, common); err != nil {
			return err
		}
	}
	return r.checksums()
}

// list says what was made.
func (r *release) list(out io.Writer) error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%6.1f MB  %s\n", float64(info.Size())/1e6, filepath.Join(r.out, e.Name()))
	}
	return nil
}
