package bandwidth

import "time"

// Position is how far a run is.
type Position struct {
	Phase     string        // of the files of one of the streams
	Iteration int           // that goes on, from 1
	Of        int           // 0: as many as there is time for
	Moved     int64         // bytes, of blocks that have ended
	Whole     int64         // that are moved in all; 0 when the time ends it
	Done      float64       // share of it all, by bytes or by time; negative when it is not known
	Left      time.Duration // about, until all is moved; negative when it is not known
}

// phases are what a person calls the steps.
var phases = [...]string{ // package state: a constant table
	create: "upload", write: "upload", flush: "upload", closeUpload: "ending the upload", rename: "renaming",
	open: "download", read: "download", closeDownload: "checking", remove: "removing the files",
}

// Begin starts the time that Position tells of. It is called just before the run.
func (b *Bandwidth) Begin() {
	b.begun, b.whole = time.Now(), b.each()*float64(b.Plan.Repeat)
}

// Position is how far the run is now. It costs the streams a lock, and is not to be asked for often.
func (b *Bandwidth) Position() Position {
	b.mu.Lock()
	p := Position{Phase: phases[b.at.Load()], Iteration: b.iteration + 1, Of: b.Plan.Repeat}
	b.mu.Unlock()
	p.Moved, p.Whole = b.moved.Load(), int64(b.whole)
	p.Done, p.Left = b.far(time.Since(b.begun))
	return p
}

// far is how much was done in so long, and how long the rest takes. When the time of a run is over, each stream ends
// the file that it has begun, and how long that takes is not known.
func (b *Bandwidth) far(gone time.Duration) (done float64, left time.Duration) {
	done, left = -1, -1
	limit, moved, whole := b.Plan.Duration, float64(b.moved.Load()), b.whole
	if limit > gone {
		done, left = float64(gone)/float64(limit), limit-gone
	}
	if whole == 0 || moved == 0 {
		return done, left
	}
	if share := min(1, moved/whole); share > done {
		done, left = share, time.Duration(float64(gone)*(1-share)/share)
	}
	return done, left
}

// each is how many bytes an iteration moves.
func (b *Bandwidth) each() float64 {
	p := &b.Plan
	var objects float64
	for _, o := range b.Objects {
		objects += float64(o.Size)
	}
	switch {
	case len(b.Objects) > 0:
		return objects
	case p.Only != "":
		return float64(p.Size) * float64(p.Streams)
	}
	return 2 * float64(p.Size) * float64(p.Streams)
}
