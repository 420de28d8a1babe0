package throughput

import "time"

// A Timeline is what happened in one attempt to send a request and to read its answer. All
// moments are offsets from the attempt's start, by the monotonic clock; one that did not
// come, or that nobody could see, is the zero Stamp.
//
// A Timeline holds neither the path nor the query nor the headers of the request: they can
// hold secrets.
type Timeline struct {
	Started time.Time // by the wall clock, to label
	Method  string
	Scheme  string
	Host    string // with the port, as the URL has it
	Proto   string // of the response, as "HTTP/1.1"; empty without one
	Status  int    // of the response; 0 without one
	Attempt int    // 1, or more when Base sends the request again: net/http itself, or what retries there
	Err     error  // of the round trip, of writing the request, or of reading the response

	// The connection. The stamps of a connection that was made for this request are there
	// only if it was also used: a request can get an idle one while it dials.
	Reused        bool
	IdleFor       time.Duration // how long a reused connection had been idle
	DNSStart      Stamp
	DNSDone       Stamp
	ConnectStart  Stamp
	ConnectDone   Stamp
	TLSStart      Stamp
	TLSDone       Stamp
	ConnectionGot Stamp

	// The request.
	WroteHeaders   Stamp         // into net/http's buffer; the network has them a moment later
	Continued      Stamp         // the server said 100 Continue
	BodyAsked      Stamp         // just before the first piece of the body was asked for
	FirstBodyRead  Stamp         // just after the first piece that was not empty was there
	LastBodyRead   Stamp         // just after the last piece that was not empty was there
	RequestWritten Stamp         // the last piece of the request was given to the operating system
	Drained        Stamp         // the last acknowledgement came: the socket's queue was empty
	DrainedError   time.Duration // how far Drained may be off, to either side

	// The response. After an informational response (1xx) net/http does not say when the
	// final one begins: then it is the moment when its headers had been read.
	FirstResponseByte Stamp
	ResponseAsked     Stamp // the connection was asked what of the body had come, and some had; see ResponseAhead
	LastResponseByte  Stamp // the last piece of the body was there; without a body, the end of the headers
	// How much earlier that may have come: what the rate before does not explain of the wait for it.
	LastResponseError time.Duration
	// The attempt was over. Of one with ErrRetried, the last that was seen of it: what came after
	// that was Base's affair, its pause too.
	Ended Stamp

	// The client's own part. SourceTime is spent inside the Read of the request's body after
	// FirstBodyRead, that which finds its end included; what came before is FirstBodyRead − BodyAsked.
	// It says nothing of sendfile, nor whether the network was kept waiting: it sends meanwhile
	// what it has. ReaderTime is spent by the caller between the Reads of the response's body, from
	// FirstResponseByte to LastResponseByte; ReaderPaused is what of it are pauses in which the
	// network, at the rate so far, brings more than 32 KiB, or did, so that it may have had to stop.
	SourceTime   time.Duration
	ReaderTime   time.Duration
	ReaderPaused time.Duration

	ContentLength int64 // that the request declared; -1 if unknown
	RequestBytes  int64 // handed over: taken from the body, the framing of aws-chunked included; see Copied
	RequestReads  int64 // reads of the body that gave something; none of what the kernel took by sendfile
	DecodedBytes  Size  // of an aws-chunked body that was sent whole: without its framing
	// Acknowledged by the peer at Drained: headers and TLS included (Linux; of bodies from 256 KiB on).
	WireBytes Size
	// What of the response's body had come at ResponseAsked, before the caller could read (Linux; HTTP/1; of bodies from
	// 64 KiB on).
	ResponseAhead int64
	ResponseBytes int64 // of the body, as the caller got them: after net/http's own decompression
	ResponseReads int64
	ResponseEnded bool // the response was read to its end
	// The response was decompressed: ResponseBytes were not on the wire. net/http says so; of a Base that does it
	// by itself and does not say so, it shows where more was read than the response declared, or than came on the
	// connection (Linux; HTTP/1; by more than 80 KiB).
	Uncompressed   bool
	ResponseShared bool // other requests were on the connection while this one was, or may have been (HTTP/2)

	HasBody bool // the request had a body
	// Base had taken the whole body before there was a connection, as transports that retry do, and
	// sent a copy. RequestBytes are those of the copy if it was written; FirstBodyRead, LastBodyRead
	// and RequestReads say when and how it was made, in the first attempt. Or Base had taken some of
	// it by then, or read several bodies at once: what is told of the body is then of one of these.
	Copied   bool
	Sendfile bool // the kernel took the body from a file, past this package
	Shared   bool // other requests were on the connection until the body had arrived, or may have been (HTTP/2)

	// What the connection said (Linux). Queued is the socket's queue at RequestWritten, if that was
	// not empty; unknown if the request was written within a millisecond.
	Queued Size
	// The smallest round trip of the path, as far as its connections have seen it; 0 if unknown. MinRTTError is how
	// far it may be off, to either side, where one other connection alone has seen a smaller one.
	MinRTT      time.Duration
	MinRTTError time.Duration
	Polls       int // how often the queue was asked
	// Sending is what the kernel counted until Drained; nil if it was not asked, or does not count.
	Sending *Sending
}
