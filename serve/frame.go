package serve

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A frame is a prefix, a header in JSON, and a body of raw bytes that the header describes.
// The prefix is magic, the length of the header (32 bits) and that of the body (64 bits), all
// little-endian.
const (
	magic      = 0x314d5347 // "GSM1"
	prefixSize = 16
	maxHeader  = 16 << 20
)

// errFraming ends a connection: where the next frame begins is not known.
var errFraming = errors.New("the stream is no longer made of frames")

// body is what has not been read of a frame's body. Reads after it are io.EOF.
type body struct {
	in   *bufio.Reader
	left int64
}

// fill reads exactly len(p) bytes, straight into p.
func (b *body) fill(p []byte) error {
	if int64(len(p)) > b.left {
		return fmt.Errorf("%d bytes are needed, and the frame has %d left", len(p), b.left)
	}
	n, err := io.ReadFull(b.in, p)
	b.left -= int64(n)
	return err
}

// all reads the rest. Memory grows with what comes, not with what the frame promises.
func (b *body) all() ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(b.in, b.left))
	b.left -= int64(len(text))
	if err == nil && b.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return text, err
}

// drop skips the rest.
func (b *body) drop() error {
	n, err := io.CopyN(io.Discard, b.in, b.left)
	b.left -= n
	return err
}

// readFrame reads prefix and header. The body has to be read or dropped before the next
// call, also after an error that is about the header's text. io.EOF is a clean end.
func readFrame(in *bufio.Reader, header any) (*body, error) {
	var p [prefixSize]byte
	if _, err := io.ReadFull(in, p[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, fmt.Errorf("%w: %w", errFraming, err)
	}
	n, rest := binary.LittleEndian.Uint32(p[4:]), binary.LittleEndian.Uint64(p[8:])
	if got := binary.LittleEndian.Uint32(p[:]); got != magic || n > maxHeader || rest > 1<<62 {
		return nil, fmt.Errorf("%w: it goes on with % x", errFraming, p)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(in, text); err != nil {
		return nil, fmt.Errorf("%w: %w", errFraming, err)
	}
	b := &body{in, int64(rest)}
	if err := json.Unmarshal(text, header); err != nil {
		return b, fmt.Errorf("frame header: %w", err)
	}
	return b, nil
}

// writeFrame writes a frame; the parts are its body.
func writeFrame(out *bufio.Writer, header any, parts ...[]byte) error {
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	var p [prefixSize]byte
	binary.LittleEndian.PutUint32(p[:], magic)
	binary.LittleEndian.PutUint32(p[4:], uint32(len(text)))
	total := 0
	for _, part := range parts {
		total += len(part)
	}
	binary.LittleEndian.PutUint64(p[8:], uint64(total))
	for _, part := range append([][]byte{p[:], text}, parts...) {
		if _, err := out.Write(part); err != nil { // large parts pass the buffer by
			return err
		}
	}
	return out.Flush()
}
