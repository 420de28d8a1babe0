package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// writeSBOM writes what the binary is made of, as CycloneDX: each module that the Go toolchain noted in it, Go's library,
// and the scripts of the page.
func (r *release) writeSBOM(p platform, binary string, parts []part) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	sum, err := sumOf(binary)
	if err != nil {
		return err
	}
	main := cyclonedx.Component{
		BOMRef: "plimsoll", Type: cyclonedx.ComponentTypeApplication, Name: "plimsoll", Version: r.version,
		PackageURL: "pkg:golang/" + ours + "@" + r.version + "?goarch=" + p.arch + "&goos=" + p.os + "#cmd/plimsoll",
		Hashes:     &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: fmt.Sprintf("%x", sum)}},
		Licenses:   licencesIn([]string{"Apache-2.0"}),
	}
	var components []cyclonedx.Component
	for _, m := range info.Deps {
		// What a replacement is of is what an advisory names; those of the clone have the release's version.
		component := cyclonedx.Component{Name: m.Path, Version: m.Version, Type: cyclonedx.ComponentTypeLibrary}
		if strings.HasPrefix(m.Path, ours+"/") {
			component.Version, component.Licenses = r.version, licencesIn([]string{"Apache-2.0"})
		} else if component.Licenses, err = licencesOfModule(parts, m.Path, m.Version); err != nil {
			return err
		}
		component.PackageURL = "pkg:golang/" + m.Path + "@" + component.Version
		components = append(components, component)
	}
	for _, other := range parts {
		if !strings.HasPrefix(other.purl, "pkg:golang/") || other.name == "std" {
			components = append(components, cyclonedx.Component{Name: other.name, Version: other.version,
				Type: cyclonedx.ComponentTypeLibrary, PackageURL: other.purl, Licenses: licencesIn(other.licences)})
		}
	}
	return r.create(r.name(p, ".cdx.json"), func(to io.Writer) error {
		out := cyclonedx.NewBOMEncoder(to, cyclonedx.BOMFileFormatJSON).SetPretty(true)
		return out.EncodeVersion(r.bom(sum, main, components), cyclonedx.SpecVersion1_6)
	})
}

func (r *release) bom(sum []byte, main cyclonedx.Component, components []cyclonedx.Component) *cyclonedx.BOM {
	slices.SortFunc(components, func(a, b cyclonedx.Component) int { return cmp.Compare(a.Name, b.Name) })
	var refs []string
	for i := range components {
		components[i].BOMRef = components[i].PackageURL
		refs = append(refs, components[i].BOMRef)
	}
	bom := cyclonedx.NewBOM()
	// A document has a number of its own; that of the same binary is the same.
	id := sha256.Sum256(append([]byte("plimsoll sbom "), sum...))
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // a UUID of version 8: the maker's own way
	bom.SerialNumber = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16])
	bom.Metadata = &cyclonedx.Metadata{Timestamp: r.date.Format(time.RFC3339), Component: &main}
	bom.Components = &components
	// Which module needs which is not noted in a binary: all of them are the program's.
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	return bom
}

func licencesIn(names []string) *cyclonedx.Licenses {
	var all cyclonedx.Licenses
	for _, name := range names {
		all = append(all, cyclonedx.LicenseChoice{License: &cyclonedx.License{ID: name}})
	}
	return &all
}

// licencesOfModule fails for one whose licences the binary would not bring with it.
func licencesOfModule(parts []part, path, version string) (*cyclonedx.Licenses, error) {
	for _, p := range parts {
		if p.name == path && p.version == version {
			return licencesIn(p.licences), nil
		}
	}
	return nil, fmt.Errorf("%s %s is in the binary, and its licences were not found", path, version)
}
