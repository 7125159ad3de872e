package launch

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The NPY format of NumPy, versions 1.0 and 2.0 ("numpy.lib.format"). The libraries for
// it neither read half-precision elements nor write more than two dimensions.

// npyMagic begins every file; two bytes of version and the header's length follow.
const npyMagic = "\x93NUMPY"

// maxNpyHeader bounds what is read before the shape is known.
const maxNpyHeader = 1 << 20

// npyHeader is what a file says of its array.
type npyHeader struct {
	descr   string // "<f4"
	fortran bool
	shape   []int64
}

var (
	npyDescr   = regexp.MustCompile(`['"]descr['"]\s*:\s*['"]([^'"]*)['"]`)
	npyFortran = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([^()]*)\)`)
)

// readNpyHeader reads up to the first byte of the data.
func readNpyHeader(r io.Reader) (npyHeader, error) {
	var h npyHeader
	head := make([]byte, len(npyMagic)+2)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(npyMagic)]) != npyMagic {
		return h, errors.New("not an NPY file")
	}
	var length uint32
	switch major := head[len(npyMagic)]; major {
	case 1:
		var short uint16
		if err := binary.Read(r, binary.LittleEndian, &short); err != nil {
			return h, errors.New("the NPY header is cut off")
		}
		length = uint32(short)
	case 2, 3:
		if err := binary.Read(r, binary.LittleEndian, &length); err != nil {
			return h, errors.New("the NPY header is cut off")
		}
	default:
		return h, fmt.Errorf("NPY version %d is not supported", major)
	}
	if length > maxNpyHeader {
		return h, fmt.Errorf("an NPY header of %d bytes", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, errors.New("the NPY header is cut off")
	}
	return parseNpyHeader(string(text))
}

func parseNpyHeader(text string) (npyHeader, error) {
	var h npyHeader
	descr, fortran, shape := npyDescr.FindStringSubmatch(text), npyFortran.FindStringSubmatch(text), npyShape.FindStringSubmatch(text)
	if descr == nil {
		return h, errors.New("an array of a structured type, or a broken NPY header")
	}
	if fortran == nil || shape == nil {
		return h, errors.New("a broken NPY header: no fortran_order or shape")
	}
	h.descr, h.fortran = descr[1], fortran[1] == "True"
	for word := range strings.SplitSeq(shape[1], ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 0 {
			return h, fmt.Errorf("a broken NPY header: dimension %q", word)
		}
		h.shape = append(h.shape, n)
	}
	return h, nil
}

// fits compares the array with a buffer. Types that NumPy lacks (bf16, e4m3, e5m2, b8 to
// b64) are stored as any type of that size.
func (h npyHeader) fits(d DType, shape []int64) error {
	if len(h.descr) < 3 {
		return fmt.Errorf("unknown element type %q", h.descr)
	}
	kind, size := h.descr[1], h.descr[2:]
	ok := size == strconv.Itoa(d.Size)
	switch {
	case d.untyped():
		ok = ok && strings.ContainsRune("iufV", rune(kind))
	case d.float != nil && d.Name != "f16":
		ok = ok && strings.ContainsRune("iuV", rune(kind))
	default:
		ok = ok && kind == map[class]byte{unsigned: 'u', signed: 'i', floating: 'f'}[d.class]
	}
	if !ok {
		return fmt.Errorf("element type %s, but the buffer is %s (%s)", h.descr, d.Name, d.npyDescr())
	}
	if h.fortran && len(h.shape) > 1 {
		return errors.New("the array is in Fortran order; save numpy.ascontiguousarray of it")
	}
	if !slices.Equal(h.shape, shape) {
		return fmt.Errorf("shape %s, but the buffer has %s", formatShape(h.shape), formatShape(shape))
	}
	return nil
}

func formatShape(shape []int64) string {
	words := make([]string, len(shape))
	for i, n := range shape {
		words[i] = strconv.FormatInt(n, 10)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// npyDescr is the element type under which a buffer is saved.
func (d DType) npyDescr() string {
	kind := "u"
	switch {
	case d.class == signed:
		kind = "i"
	case d.class == floating && (d.float == nil || d.Name == "f16"):
		kind = "f"
	}
	order := "<"
	if d.Size == 1 {
		order = "|"
	}
	return order + kind + strconv.Itoa(d.Size)
}

// readNpyData reads an array, whose header fits, into data.
func readNpyData(r io.Reader, data []byte, d DType) error {
	in := bufio.NewReader(r)
	h, err := readNpyHeader(in)
	if err != nil {
		return err
	}
	if n, err := io.ReadFull(in, data); err != nil {
		return fmt.Errorf("the data is cut off after %d of %d bytes", n, len(data))
	}
	if h.descr[0] == '>' {
		for i := 0; i < len(data); i += d.Size {
			slices.Reverse(data[i : i+d.Size])
		}
	}
	return nil
}

// writeNpy writes an array in version 1.0.
func writeNpy(w io.Writer, data []byte, d DType, shape []int64) error {
	dims := strings.Trim(formatShape(shape), "[]")
	if len(shape) == 1 {
		dims += ","
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", d.npyDescr(), dims)
	// Magic, version, length and header together are a multiple of 64 bytes, the last a newline.
	fixed := len(npyMagic) + 4
	pad := 63 - (fixed+len(header))%64
	header += strings.Repeat(" ", pad) + "\n"
	var head bytes.Buffer
	head.WriteString(npyMagic)
	head.Write([]byte{1, 0, byte(len(header)), byte(len(header) >> 8)})
	head.WriteString(header)
	if _, err := w.Write(head.Bytes()); err != nil {
		return err
	}
	_, err := w.Write(data)
	return err
}

// plainError drops the path from an operating system's error: messages name files as the
// user wrote them.
func plainError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
