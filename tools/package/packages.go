package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

const description = `Load generator and measuring tool for networked services
Plimsoll tells how fast a server really is for those who use it: HTTP, WebSocket,
object stores, message services, calls of SDKs. It times every operation from the
moment when it was due, watches itself, and says with a verdict whether the
figures are the server's.`

// packages writes the packages of Debian's and of Red Hat's kind.
func (r *release) packages(p platform, binary string, common []file) error {
	for ending, packer := range map[string]nfpm.Packager{".deb": deb.Default, ".rpm": rpm.DefaultRPM} {
		contents, err := r.installed(binary, common)
		if err != nil {
			return err
		}
		info := nfpm.WithDefaults(r.info(p, contents))
		if err := nfpm.PrepareForPackager(info, strings.TrimPrefix(ending, ".")); err != nil {
			return fmt.Errorf("%s for %s: %w", ending, p, err)
		}
		if err := r.create(r.name(p, ending), func(to io.Writer) error { return packer.Package(info, to) }); err != nil {
			return fmt.Errorf("%s for %s: %w", ending, p, err)
		}
	}
	return nil
}

func (r *release) info(p platform, contents files.Contents) *nfpm.Info {
	info := &nfpm.Info{
		Name: "plimsoll", Arch: p.arch, Platform: "linux", Version: packageVersion(r.version), Release: "1",
		Section: "net", Priority: "optional", Maintainer: r.maintainer, Description: description, License: "Apache-2.0",
		MTime: r.date,
	}
	info.DisableGlobbing = true
	info.Contents = contents
	info.RPM.Summary, _, _ = strings.Cut(description, "\n")
	info.RPM.Group, info.RPM.BuildHost, info.RPM.Packager = "Applications/Internet", "localhost", r.maintainer
	return info
}

// packageVersion is one that both kinds can put in order: a commit without a tag is older than any release.
func packageVersion(version string) string {
	if v, is := strings.CutPrefix(version, "v"); is && v != "" && v[0] >= '0' && v[0] <= '9' {
		return v
	}
	return "0.0.0-0." + version
}

// places are where Debian's and Red Hat's systems look for the common files; what begins with "deb:" or "rpm:" is for one
// of the two alone. Manuals and documents are folders, and follow by their names.
func places() map[string][]string {
	return map[string][]string{
		"completions/plimsoll.bash": {"/usr/share/bash-completion/completions/plimsoll"},
		"completions/plimsoll.fish": {"/usr/share/fish/vendor_completions.d/plimsoll.fish"},
		"completions/_plimsoll": {"deb:/usr/share/zsh/vendor-completions/_plimsoll",
			"rpm:/usr/share/zsh/site-functions/_plimsoll"},
		"LICENSE":   {"rpm:/usr/share/licenses/plimsoll/LICENSE"},
		licencesOf:  {"deb:/usr/share/doc/plimsoll/" + licencesOf, "rpm:/usr/share/licenses/plimsoll/" + licencesOf},
		"README.md": {"/usr/share/doc/plimsoll/README.md"},
	}
}

// installed are the files in the places that they have on a system.
func (r *release) installed(binary string, common []file) (files.Contents, error) {
	copyright, err := r.copyright()
	if err != nil {
		return nil, err
	}
	contents := files.Contents{content(binary, "/usr/bin/plimsoll"), content(copyright, "deb:/usr/share/doc/plimsoll/copyright")}
	for _, f := range common {
		switch {
		case strings.HasPrefix(f.name, manuals):
			packed, err := r.zipped(f)
			if err != nil {
				return nil, err
			}
			contents = append(contents, content(packed, "/usr/share/"+f.name+".gz"))
		case strings.HasPrefix(f.name, documents):
			contents = append(contents, content(f.source, "/usr/share/doc/plimsoll/"+f.name))
		}
		for _, place := range places()[f.name] {
			contents = append(contents, content(f.source, place))
		}
	}
	return contents, nil
}

func content(source, place string) *files.Content {
	packager, destination, only := strings.Cut(place, ":")
	if !only {
		packager, destination = "", place
	}
	return &files.Content{Source: source, Destination: destination, Packager: packager,
		FileInfo: &files.ContentFileInfo{Mode: mode(destination), Owner: "root", Group: "root"}}
}

// copyright is what Debian wants to have in one place.
func (r *release) copyright() (string, error) {
	text, err := os.ReadFile("LICENSE")
	if err != nil {
		return "", err
	}
	name := filepath.Join(r.work, "copyright")
	return name, os.WriteFile(name, fmt.Appendf(nil, `Plimsoll %s, made of commit %s.
What it has in it that others made, and their licences, stand in
/usr/share/doc/plimsoll/%s. Plimsoll itself:

%s`, r.version, r.commit, licencesOf, text), 0o644)
}

// zipped is a manual page as 'gzip -9n' makes it.
func (r *release) zipped(f file) (string, error) {
	text, err := os.ReadFile(f.source)
	if err != nil {
		return "", err
	}
	var packed bytes.Buffer
	out, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	_, err = out.Write(text)
	if err := errors.Join(err, out.Close()); err != nil {
		return "", err
	}
	name := filepath.Join(r.work, path.Base(f.name)+".gz")
	return name, os.WriteFile(name, packed.Bytes(), 0o644)
}
