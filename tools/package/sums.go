package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// sumsFile is what 'sha256sum --check' reads.
const sumsFile = "SHA256SUMS"

// checksums writes those of everything that was made so far.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out) // in order
	if err != nil {
		return err
	}
	return r.create(sumsFile, func(to io.Writer) error {
		for _, e := range entries {
			sum, err := sumOf(filepath.Join(r.out, e.Name()))
			if err != nil {
				return err
			}
			fmt.Fprintf(to, "%x  %s\n", sum, e.Name())
		}
		return nil
	})
}

func sumOf(name string) ([]byte, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return nil, err
	}
	return sum.Sum(nil), nil
}
