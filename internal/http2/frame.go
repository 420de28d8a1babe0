package http2

import "encoding/binary"

// The types of frames (RFC 9113, 6).
const (
	frameData         = 0x0
	frameHeaders      = 0x1
	framePriority     = 0x2
	frameReset        = 0x3
	frameSettings     = 0x4
	framePush         = 0x5
	framePing         = 0x6
	frameGoAway       = 0x7
	frameWindow       = 0x8
	frameContinuation = 0x9
)

// Their flags.
const (
	flagEndStream  = 0x1
	flagAck        = 0x1
	flagEndHeaders = 0x4
	flagPadded     = 0x8
	flagPriority   = 0x20
)

// The settings (RFC 9113, 6.5.2).
const (
	settingTable      = 0x1
	settingPush       = 0x2
	settingStreams    = 0x3
	settingWindow     = 0x4
	settingFrame      = 0x5
	settingHeaderList = 0x6
)

const (
	preface     = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	headerSize  = 9
	defaultSize = 16384 // of a frame's payload, at most; we take no larger ones
	mostWindow  = 1<<31 - 1
	firstWindow = 65535
)

// frame is the header of one.
type frame struct {
	length int
	kind   byte
	flags  byte
	stream uint32
}

func readFrame(b []byte) frame {
	return frame{
		length: int(b[0])<<16 | int(b[1])<<8 | int(b[2]), kind: b[3], flags: b[4],
		stream: binary.BigEndian.Uint32(b[5:]) & mostWindow,
	}
}

func (f *frame) has(flag byte) bool { return f.flags&flag != 0 }

// appendFrame begins a frame.
func appendFrame(b []byte, length int, kind, flags byte, stream uint32) []byte {
	b = append(b, byte(length>>16), byte(length>>8), byte(length), kind, flags)
	return binary.BigEndian.AppendUint32(b, stream)
}

func appendSetting(b []byte, id uint16, value uint32) []byte {
	b = binary.BigEndian.AppendUint16(b, id)
	return binary.BigEndian.AppendUint32(b, value)
}

func appendReset(b []byte, stream uint32, why Code) []byte {
	b = appendFrame(b, 4, frameReset, 0, stream)
	return binary.BigEndian.AppendUint32(b, uint32(why))
}

func appendWindow(b []byte, stream uint32, more int64) []byte {
	b = appendFrame(b, 4, frameWindow, 0, stream)
	return binary.BigEndian.AppendUint32(b, uint32(more))
}

// appendHeaders writes a field block in as many frames as it needs.
func appendHeaders(b []byte, stream uint32, block []byte, ends bool, most int) []byte {
	kind, flags := byte(frameHeaders), byte(0)
	if ends {
		flags = flagEndStream
	}
	for {
		n := min(len(block), most)
		if n == len(block) {
			flags |= flagEndHeaders
		}
		b = append(appendFrame(b, n, kind, flags, stream), block[:n]...)
		if block = block[n:]; len(block) == 0 {
			return b
		}
		kind, flags = frameContinuation, 0
	}
}
