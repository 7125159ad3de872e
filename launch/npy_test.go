package launch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

func npyFile(version byte, header string, data ...byte) []byte {
	b := append([]byte(npyMagic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), data...)
}

func TestNpyRoundTrip(t *testing.T) {
	for _, d := range DTypes {
		for _, shape := range [][]int64{{6}, {2, 3}, {1, 2, 3}} {
			data := make([]byte, 6*d.Size)
			for i := range data {
				data[i] = byte(i + 1)
			}
			var file bytes.Buffer
			if err := writeNpy(&file, data, d, shape); err != nil {
				t.Fatal(err)
			}
			if n := file.Len() - len(data); n%64 != 0 {
				t.Errorf("%s %v: the data begins at %d", d.Name, shape, n)
			}
			h, err := readNpyHeader(bytes.NewReader(file.Bytes()))
			if err == nil {
				err = h.fits(d, shape)
			}
			got := make([]byte, len(data))
			if err == nil {
				err = readNpyData(bytes.NewReader(file.Bytes()), got, d)
			}
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s %v: %v %v", d.Name, shape, got, err)
			}
		}
	}
}

func TestNpyForeign(t *testing.T) {
	u16, _ := findDType("u16")
	for _, c := range []struct {
		file []byte
		want string
	}{
		{npyFile(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }   \n", 1, 2, 3, 4), "01020304"},
		{npyFile(2, "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }\n", 1, 2, 3, 4), "01020304"},
		{npyFile(1, "{'descr': '>u2', 'fortran_order': False, 'shape': (2,), }\n", 1, 2, 3, 4), "02010403"},
		{npyFile(1, `{"shape": (2,), "fortran_order": True, "descr": "<u2"}`, 1, 2, 3, 4), "01020304"},
		{npyFile(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }\n", 1, 2, 3), "the data is cut off after 3 of 4 bytes"},
		{npyFile(1, "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n"), "element type <i2, but the buffer is u16 (<u2)"},
		{npyFile(1, "{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }\n"), "element type <u4, but the buffer is u16 (<u2)"},
		{npyFile(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }\n"), "shape [3], but the buffer has [2]"},
		{npyFile(1, "{'descr': '<u2', 'fortran_order': True, 'shape': (1, 2), }\n"), "the array is in Fortran order; save numpy.ascontiguousarray of it"},
		{npyFile(1, "{'descr': [('a', '<u2')], 'fortran_order': False, 'shape': (2,), }\n"), "an array of a structured type, or a broken NPY header"},
		{npyFile(1, "{'descr': '<u2', 'shape': (2,), }\n"), "a broken NPY header: no fortran_order or shape"},
		{npyFile(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (x,), }\n"), `a broken NPY header: dimension "x"`},
		{npyFile(1, "{'descr': 'u2', 'fortran_order': False, 'shape': (2,), }\n"), `unknown element type "u2"`},
		{npyFile(9, ""), "NPY version 9 is not supported"},
		{append([]byte(npyMagic), 2, 0, 255, 255, 255, 255), "an NPY header of 4294967295 bytes"},
		{npyFile(1, "{'descr'")[:12], "the NPY header is cut off"},
		{[]byte("hello, world"), "not an NPY file"}, {nil, "not an NPY file"},
	} {
		h, err := readNpyHeader(bytes.NewReader(c.file))
		if err == nil {
			err = h.fits(u16, []int64{2})
		}
		data := make([]byte, 4)
		if err == nil {
			err = readNpyData(bytes.NewReader(c.file), data, u16)
		}
		got := text(err)
		if err == nil {
			got = fmt.Sprintf("%x", data)
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", strings.TrimSpace(string(c.file)), got, c.want)
		}
	}
}
