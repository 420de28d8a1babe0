package saved

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/setting"
)

// mostLabel is how many characters a label may have: a line of a list has to have room for it.
const mostLabel = 60

// LabelSetting declares a setting that takes labels, each once.
func LabelSetting(into *[]string, name, help string) *setting.Setting {
	return setting.Each(name, "text", help, func(text string) error {
		label, err := parseLabel(text)
		if err == nil && !slices.Contains(*into, label) {
			*into = append(*into, label)
		}
		return err
	})
}

// parseLabel refuses what could not be shown in a line, or typed again to find the run.
func parseLabel(text string) (string, error) {
	label := strings.TrimSpace(text)
	length := utf8.RuneCountInString(label)
	switch {
	case label == "":
		return "", errors.New("the label is empty")
	case !utf8.ValidString(label):
		return "", errors.New("the label is not valid UTF-8")
	case strings.ContainsFunc(label, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "", fmt.Errorf("%q contains characters that cannot be printed", label)
	case length > mostLabel:
		return "", fmt.Errorf("%.20q… has %d characters; a label can have at most %d", label, length, mostLabel)
	}
	return label, nil
}
