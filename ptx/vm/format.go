package vm

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxWidth bounds a conversion's width and precision: a kernel must not fill the memory by
// one call of printf.
const maxWidth = 1 << 16

// conversion is one % of a printf format (ISO C, "The fprintf function").
type conversion struct {
	text   string // as written
	minus  bool
	plus   bool
	space  bool
	alt    bool // #
	zero   bool
	width  int
	prec   int // -1: none
	length string
	verb   byte // 0: not a conversion
}

// parseConversion reads the conversion at the start of a format. star supplies the value of
// each `*`.
func parseConversion(s string, star func() int32) conversion {
	c := conversion{prec: -1}
	i := 1
flags:
	for ; i < len(s); i++ {
		switch s[i] {
		case '-':
			c.minus = true
		case '+':
			c.plus = true
		case ' ':
			c.space = true
		case '#':
			c.alt = true
		case '0':
			c.zero = true
		default:
			break flags
		}
	}
	number := func() int {
		if i < len(s) && s[i] == '*' {
			i++
			return int(star())
		}
		n := 0
		for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			n = min(10*n+int(s[i]-'0'), maxWidth)
		}
		return n
	}
	if c.width = number(); c.width < 0 {
		c.minus, c.width = true, -c.width
	}
	if i < len(s) && s[i] == '.' {
		i++
		c.prec = max(number(), -1)
	}
	c.width, c.prec = min(c.width, maxWidth), min(c.prec, maxWidth)
	from := i
	for i < len(s) && strings.IndexByte("hlLqjzt", s[i]) >= 0 {
		i++
	}
	c.length = s[from:i]
	if i < len(s) {
		if strings.IndexByte("diuxXocsp%eEfFgGaA", s[i]) >= 0 {
			c.verb = s[i]
		}
		i++
	}
	c.text = s[:i]
	return c
}

// size is the number of bytes that the argument takes.
func (c *conversion) size() uint64 {
	switch c.verb {
	case 'd', 'i', 'u', 'x', 'X', 'o', 'c':
		if c.length == "" || c.length[0] == 'h' {
			return 4
		}
	}
	return 8
}

// format is the text of an argument; str reads the string at an address.
func (c *conversion) format(v uint64, str func(addr uint64) string) string {
	switch c.verb {
	case 'c':
		return c.pad("", string([]byte{byte(v)}), false)
	case 's':
		s := str(v)
		if c.prec >= 0 && c.prec < len(s) {
			s = s[:c.prec]
		}
		return c.pad("", s, false)
	case 'p':
		return c.pad("", fmt.Sprintf("%#x", v), false)
	case 'd', 'i', 'u', 'x', 'X', 'o':
		return c.integer(v)
	}
	return c.float(math.Float64frombits(v))
}

func (c *conversion) integer(v uint64) string {
	bits := uint(8 * c.size())
	switch c.length {
	case "h":
		bits = 16
	case "hh":
		bits = 8
	}
	sign := ""
	if c.verb == 'd' || c.verb == 'i' {
		n := int64(v<<(64-bits)) >> (64 - bits)
		if sign = c.sign(n < 0); n < 0 {
			n = -n
		}
		v = uint64(n)
	} else {
		v &= ^uint64(0) >> (64 - bits)
	}
	base := map[byte]int{'x': 16, 'X': 16, 'o': 8}[c.verb]
	if base == 0 {
		base = 10
	}
	digits := strconv.FormatUint(v, base)
	if c.prec == 0 && v == 0 {
		digits = ""
	}
	if n := c.prec - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	switch {
	case c.alt && base == 8 && !strings.HasPrefix(digits, "0"):
		digits = "0" + digits
	case c.alt && base == 16 && v != 0:
		sign = "0x"
	}
	if c.verb == 'X' {
		sign, digits = strings.ToUpper(sign), strings.ToUpper(digits)
	}
	return c.pad(sign, digits, c.prec < 0)
}

func (c *conversion) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case c.plus:
		return "+"
	case c.space:
		return " "
	}
	return ""
}

func (c *conversion) float(x float64) string {
	sign := c.sign(math.Signbit(x))
	upper := c.verb < 'a'
	var s string
	finite := false
	switch abs := math.Abs(x); {
	case math.IsNaN(x):
		s, sign = "nan", c.sign(false)
	case math.IsInf(x, 0):
		s = "inf"
	case c.verb == 'a' || c.verb == 'A':
		finite = true
		sign += "0x"
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(abs, 'x', c.prec, 64)[2:], "p")
		n, _ := strconv.Atoi(exponent)
		s = fmt.Sprintf("%sp%+d", mantissa, n)
	default:
		finite = true
		prec := c.prec
		if prec < 0 {
			prec = 6
		}
		spec := "%"
		if c.alt {
			spec = "%#"
		}
		s = fmt.Sprintf(spec+"."+strconv.Itoa(prec)+string(rune(c.verb|0x20)), abs)
	}
	if upper {
		sign, s = strings.ToUpper(sign), strings.ToUpper(s)
	}
	return c.pad(sign, s, finite)
}

// pad brings a text to the conversion's width, with zeros between sign and digits where
// that is asked for and allowed.
func (c *conversion) pad(sign, s string, zeros bool) string {
	n := c.width - len(sign) - len(s)
	switch {
	case n <= 0:
		return sign + s
	case c.minus:
		return sign + s + strings.Repeat(" ", n)
	case c.zero && zeros:
		return sign + strings.Repeat("0", n) + s
	}
	return strings.Repeat(" ", n) + sign + s
}
