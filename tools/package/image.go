package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// imageName is the name that the image has where it was loaded, before its version.
const imageName = "plimsoll/plimsoll"

// user is nobody in particular, as in the images of others without root.
const user = 65532

// imageOf is one platform of the image.
type imageOf struct {
	platform platform
	binary   string
}

// image writes one image for all of them, as an archive that is both an OCI layout, with every platform, and what 'docker
// load' has always read, with one: the builder's own if there is one.
func (r *release) image(of []imageOf, common []file) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	loaded := v1.Image(nil)
	for _, o := range of {
		image, err := r.imageFor(o, common)
		if err != nil {
			return fmt.Errorf("image for %s: %w", o.platform, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			MediaType: types.OCIManifestSchema1,
			Platform:  &v1.Platform{OS: o.platform.os, Architecture: o.platform.arch},
		}})
		if loaded == nil || o.platform.arch == host().arch {
			loaded = image
		}
	}
	dir := filepath.Join(r.work, "image")
	at, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	tag := imageName + ":" + r.version
	if err := at.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": r.version, "io.containerd.image.name": tag})); err != nil {
		return err
	}
	if err := writeDockerManifest(dir, tag, loaded); err != nil {
		return err
	}
	files, err := below(dir, "")
	if err != nil {
		return err
	}
	return r.create("plimsoll_"+r.version+"_image.tar", func(to io.Writer) error {
		return writeTar(to, r.date, "", files)
	})
}

// imageFor has three layers, of which the first two change seldom or are small.
func (r *release) imageFor(o imageOf, common []file) (v1.Image, error) {
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	base, err := r.base()
	if err != nil {
		return nil, err
	}
	binary, err := r.layer([]file{{o.binary, "usr/bin/plimsoll"}})
	if err != nil {
		return nil, err
	}
	var texts []file
	for _, f := range common {
		if f.name == "LICENSE" || f.name == licencesOf {
			texts = append(texts, file{f.source, "usr/share/doc/plimsoll/" + f.name})
		}
	}
	licences, err := r.layer(texts)
	if err != nil {
		return nil, err
	}
	for _, content := range [][]byte{base, licences, binary} {
		layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(content)), nil
		}, tarball.WithMediaType(types.OCILayer))
		if err != nil {
			return nil, err
		}
		if image, err = mutate.Append(image, mutate.Addendum{Layer: layer, MediaType: types.OCILayer,
			History: v1.History{Created: v1.Time{Time: r.date}, CreatedBy: "plimsoll's make release"}}); err != nil {
			return nil, err
		}
	}
	return r.configured(image, o.platform)
}

func (r *release) configured(image v1.Image, p platform) (v1.Image, error) {
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = p.os, p.arch, v1.Time{Time: r.date}
	config.Config = v1.Config{
		Entrypoint: []string{"/usr/bin/plimsoll"},
		User:       fmt.Sprintf("%d:%[1]d", user),
		WorkingDir: "/data",
		// Runs are kept in /data: mount a volume there to have them afterwards.
		Env: []string{"PATH=/usr/bin", "HOME=/data", "XDG_STATE_HOME=/data"},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "Plimsoll",
			"org.opencontainers.image.description": "Load generator and measuring tool for networked services",
			"org.opencontainers.image.version":     r.version,
			"org.opencontainers.image.revision":    r.commit,
			"org.opencontainers.image.created":     r.date.Format(time.RFC3339),
			"org.opencontainers.image.licenses":    "Apache-2.0",
		},
	}
	return mutate.ConfigFile(image, config)
}

// layer is a file system with these files in it.
func (r *release) layer(files []file) ([]byte, error) {
	var out bytes.Buffer
	err := writeTar(&out, r.date, "", files)
	return out.Bytes(), err
}

// base is what a program expects of a system: a user, a place for files, and whom to trust.
func (r *release) base() ([]byte, error) {
	var out bytes.Buffer
	to := tar.NewWriter(&out)
	for _, dir := range []struct {
		name string
		mode int64
	}{{"data/", 0o1777}, {"etc/", 0o755}, {"etc/ssl/", 0o755}, {"etc/ssl/certs/", 0o755}, {"tmp/", 0o1777}} {
		// Everybody may write to /data: whoever runs the image as another user, as OpenShift does, keeps runs, too.
		if err := to.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir.name, Mode: dir.mode, ModTime: r.date,
			Format: tar.FormatPAX}); err != nil {
			return nil, err
		}
	}
	for _, f := range []struct{ name, text string }{
		{"etc/group", fmt.Sprintf("root:x:0:\nnonroot:x:%d:\n", user)},
		{"etc/passwd", fmt.Sprintf("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:%d:%[1]d:nonroot:/data:/sbin/nologin\n", user)},
		{"etc/ssl/certs/ca-certificates.crt", authorities()},
	} {
		if err := to.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: 0o644, ModTime: r.date,
			Size: int64(len(f.text)), Format: tar.FormatPAX}); err != nil {
			return nil, err
		}
		if _, err := io.WriteString(to, f.text); err != nil {
			return nil, err
		}
	}
	err := to.Close()
	return out.Bytes(), err
}

// authorities are the roots that Mozilla trusts, as golang.org/x/crypto has them: of a version that go.mod names, and
// not those that happen to be on the machine that builds. Those that Mozilla trusts for older certificates alone are left
// out, since a file of certificates cannot say so.
func authorities() string {
	var text bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			text.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return text.String()
}

// writeDockerManifest adds what Docker's own archives have, which points to the same blobs.
func writeDockerManifest(dir, tag string, image v1.Image) error {
	name, err := image.ConfigName()
	if err != nil {
		return err
	}
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	blob := func(h v1.Hash) string { return "blobs/" + h.Algorithm + "/" + h.Hex }
	entry := tarball.Descriptor{Config: blob(name), RepoTags: []string{tag}}
	for _, layer := range layers {
		digest, err := layer.Digest()
		if err != nil {
			return err
		}
		entry.Layers = append(entry.Layers, blob(digest))
	}
	text, err := json.Marshal([]tarball.Descriptor{entry})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "manifest.json"), text, 0o644)
}
