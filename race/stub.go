package race

import "gpusim/kernel"

type scells struct{}
type detail struct{}
type private struct{ fenced uint32 }
type copies struct{}

func (c *copies) completed(l int) uint32                { return 0 }
func (c *copies) done(p *part, id int, m uint32)        {}
func (w *Warp) withFences(c *clock, mask uint32) *clock { return c }
func (d *Detector) dropStrong(l *line)                  {}
func (d *Detector) splitStrong(l, n *line, first int)   {}
func (d *Detector) checkStrong(a *access, write bool)   {}
func (d *Detector) overwriteStrong(a *access)           {}
func (d *Detector) strongWrote(a *access, u int) bool   { return false }
func (d *Detector) strongOfLaunch(a *access)            {}
func (d *Detector) edge(a *access, old party, lane int) kernel.Edge {
	return kernel.NoBarrier
}
func (d *Detector) Strong(w *Warp, lane int, sd *Shadow, off int64, size int, site Site, wrote bool) {
}
func (d *Detector) Fence(w *Warp, mask uint32, sc bool, sem kernel.Sem, scope kernel.Scope) {}
func (d *Detector) AsyncCopy(w *Warp, lane int, dst *Shadow, dstOff int64, src *Shadow, srcOff int64, n, srcN int, site Site) {
}
func (w *Warp) AsyncCommit(mask uint32)      {}
func (w *Warp) AsyncWait(mask uint32, n int) {}
