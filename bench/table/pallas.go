package table

import "strings"

// The markers of the section that bench/pallas writes.
const (
	pallasBegin = "<!-- pallas:begin -->"
	pallasEnd   = "<!-- pallas:end -->"
)

// PallasSection is what bench/pallas has written into a file of results, markers included;
// "" if there is nothing.
func PallasSection(results string) string {
	begin := strings.Index(results, pallasBegin)
	if begin < 0 {
		return ""
	}
	length := strings.Index(results[begin:], pallasEnd)
	if length < 0 {
		return ""
	}
	return results[begin:begin+length+len(pallasEnd)] + "\n"
}
