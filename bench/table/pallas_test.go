package table

import (
	"strings"
	"testing"
)

func TestPallasSection(t *testing.T) {
	const section = pallasBegin + "\n\n## Pallas\n\n" + pallasEnd + "\n"
	for old, want := range map[string]string{
		"": "", "# Results\n": "", "a\n\n" + section: section, "a\n\n" + section + "\n## more\n": section, "a " + pallasBegin + " b": "",
	} {
		if got := PallasSection(old); got != want {
			t.Errorf("of %q: %q, want %q", old, got, want)
		}
	}
	var b strings.Builder
	if err := (&Report{Pallas: section}).Write(&b); err != nil {
		t.Fatal(err)
	}
	if PallasSection(b.String()) != section || !strings.HasSuffix(b.String(), "\n\n"+section) {
		t.Errorf("a new report does not keep the section:\n%s", &b)
	}
}
