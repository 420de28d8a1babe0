package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// archive writes what somebody unpacks where they like: one folder with the binary and what goes with it.
func (r *release) archive(p platform, binary string, common []file) error {
	inside := append([]file{{binary, p.binary()}}, common...)
	slices.SortFunc(inside, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	folder := r.name(p, "")
	if p.os == "windows" {
		return r.create(folder+".zip", func(to io.Writer) error { return writeZip(to, r.date, folder, inside) })
	}
	return r.create(folder+".tar.gz", func(to io.Writer) error {
		// No name and no time in its head, and the same level everywhere.
		packed, err := gzip.NewWriterLevel(to, gzip.BestCompression)
		if err != nil {
			return err
		}
		return errors.Join(writeTar(packed, r.date, folder, inside), packed.Close())
	})
}

// create writes a file of the release.
func (r *release) create(name string, write func(io.Writer) error) error {
	out, err := os.Create(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	return errors.Join(write(out), out.Close())
}

// mode is that of a file by what it is: the umask of whoever builds has no say.
func mode(name string) fs.FileMode {
	if name := strings.TrimSuffix(name, ".exe"); path.Base(name) == "plimsoll" && !strings.Contains(name, "completions/") {
		return 0o755
	}
	return 0o644
}

func writeTar(to io.Writer, date time.Time, folder string, files []file) error {
	out := tar.NewWriter(to)
	made := map[string]bool{".": true}
	for _, f := range files {
		name := path.Join(folder, f.name)
		if err := addFolders(out, date, path.Dir(name), made); err != nil {
			return err
		}
		if err := addFile(out, date, name, f.source); err != nil {
			return err
		}
	}
	return out.Close()
}

// addFolders adds those above a file that are not there yet.
func addFolders(out *tar.Writer, date time.Time, dir string, made map[string]bool) error {
	if made[dir] {
		return nil
	}
	if err := addFolders(out, date, path.Dir(dir), made); err != nil {
		return err
	}
	made[dir] = true
	return out.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: date,
		Format: tar.FormatPAX})
}

func addFile(out *tar.Writer, date time.Time, name, source string) error {
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: int64(mode(name)), ModTime: date,
		Size: info.Size(), Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return err
}

func writeZip(to io.Writer, date time.Time, folder string, files []file) error {
	out := zip.NewWriter(to)
	for _, f := range files {
		head := &zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: date}
		head.SetMode(mode(f.name))
		w, err := out.CreateHeader(head)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(f.source)
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return out.Close()
}
