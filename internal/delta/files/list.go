package files

import (
	"fmt"
	"os"
	"path/filepath"
)

// List are the delta files of a directory, by their numbers.
func List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir) // sorted by name, which is by number: all have the same length
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if _, ok := ParseName(e.Name()); ok && !e.IsDir() {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}

// Expand replaces the directories among paths by their delta files. One without any is an error.
func Expand(paths []string) ([]string, error) {
	var all []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil || !info.IsDir() {
			all = append(all, p) // opening it says what is wrong
			continue
		}
		found, err := List(p)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: no delta files (%s and %d digits)", p, namePrefix, nameDigits)
		}
		all = append(all, found...)
	}
	return all, nil
}
