package store

// Ahead is data that can be made before the files that it is for are created.
type Ahead struct {
	Size  int64                    // of each file
	Files int                      // that are written at the same time
	Most  int64                    // bytes of memory that may be filled
	Fill  func(p []byte, at int64) // makes what a file holds from a place on
}

// Preparer is a Store that keeps the memory which files are written from, and can have it filled before: system calls
// and copies that would otherwise be in the time of the first parts of all.
type Preparer interface {
	MakeAhead(a Ahead)
}

// piecesOf is how much memory a file in parts has at most: parts on their way, those that a block being written
// touches, and those of the block that is being made.
func piecesOf(partSize, block int64, active int) int {
	touched := int((block+partSize-1)/partSize) + 1
	return active + 2*touched
}

// MakeAhead fills the memory of files that are written in parts, of which active are on their way, in blocks. It is
// taken in the order of the parts. A system without memory for it is left alone: the files will say so.
func (s *Slabs) MakeAhead(a Ahead, partSize, block int64, active int) {
	length := min(partSize, a.Size)
	if length <= 0 {
		return
	}
	parts := (a.Size + partSize - 1) / partSize
	pieces := min(parts, int64(piecesOf(partSize, block, active)))
	var made [][]byte
	for range a.Files {
		for n := range pieces {
			if int64(len(made)+1)*length > a.Most {
				break
			}
			m, err := s.take(length)
			if err != nil {
				break
			}
			a.Fill(m[:min(length, a.Size-n*partSize)], n*partSize)
			made = append(made, m)
		}
	}
	for i := range made {
		s.give(made[len(made)-1-i]) // the last one that is given is taken first
	}
}
