package manifest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// Taker is told what a manifest has.
type Taker interface {
	// Sent is the next batch of a publisher.
	Sent(publisher int, index uint64)
	// Acknowledged is a sequence of one.
	Acknowledged(publisher int, sequence uint64) error
}

var (
	// ErrGoesOn says that the run is not over.
	ErrGoesOn = errors.New("the run is still running")
	// ErrCut says that a run had to stop writing its manifest before it was over.
	ErrCut = errors.New("the manifest is incomplete")
)

// publisherBits bounds their numbers.
const publisherBits = 20

// ReadHead reads what the run was.
func ReadHead(path string) (Head, error) {
	h, file, _, err := open(path)
	if err == nil {
		err = file.Close()
	}
	return h, err
}

// Read reads a manifest. A last line that a crash of the machine cut off is left out.
func Read(path string, to Taker) (Head, error) {
	h, file, in, err := open(path)
	if err != nil {
		return h, err
	}
	defer file.Close()
	for n := 3; ; n++ {
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF):
			return h, nil
		case err == nil, errors.Is(err, bufio.ErrBufferFull): // which is no line either
			err = take(strings.TrimSuffix(string(line), "\n"), to)
		}
		if err != nil {
			return h, fmt.Errorf("%s, line %d: %w", path, n, err)
		}
	}
}

// take tells of one line.
func take(line string, to Taker) error {
	kind, rest, _ := strings.Cut(line, " ")
	of, number, _ := strings.Cut(rest, " ") // without the second there is no number
	publisher, bad := strconv.ParseUint(of, 10, publisherBits)
	n, err := strconv.ParseUint(number, 10, 64)
	if errors.Join(bad, err) != nil {
		return fmt.Errorf("%.40q is not a valid manifest line", line)
	}
	switch kind {
	case "s":
		to.Sent(int(publisher), n)
		return nil
	case "a":
		return to.Acknowledged(int(publisher), n)
	}
	return fmt.Errorf("%.40q is not a valid manifest line", line)
}

// open opens a manifest of a run that is over, behind its head.
func open(path string) (Head, *os.File, *bufio.Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return Head{}, nil, nil, err
	}
	var h Head
	in := bufio.NewReader(file)
	fail := func(err error) (Head, *os.File, *bufio.Reader, error) {
		return h, nil, nil, errors.Join(err, file.Close())
	}
	if locked(file) {
		err = ErrGoesOn
	}
	first, _ := in.ReadString('\n')
	text, _ := in.ReadBytes('\n')
	if broken := json.Unmarshal(text, &h); first != whole && first != cut || broken != nil {
		return fail(fmt.Errorf("%s is not a manifest of a run", path))
	}
	if err == nil && first == cut {
		err = ErrCut
	}
	if err != nil {
		return fail(err)
	}
	return h, file, in, nil
}
