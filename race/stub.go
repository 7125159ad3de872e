package race

import (
	"gpusim/kernel"
	"gpusim/shape"
)

type Detector struct {
	Values Values
}
type Shadow struct{}
type Block struct{ ws [32]Warp }
type Warp struct{}
type Phase struct{}

func New(shapes *shape.Table) *Detector                                          { return &Detector{} }
func (d *Detector) NewShadow(object int, space kernel.Space, size int64) *Shadow { return &Shadow{} }
func (d *Detector) DropShadow(sd *Shadow)                                        {}
func (d *Detector) AddSite(i SiteInfo) Site                                      { return 0 }
func (d *Detector) BeginLaunch(blocks uint64, ordersBlocks bool) error           { return nil }
func (d *Detector) EndLaunch()                                                   {}
func (d *Detector) Err() error                                                   { return nil }
func (d *Detector) BeginBlock(b *Block, linear uint64, threads int)              {}
func (d *Detector) EndBlock(b *Block)                                            {}
func (b *Block) Warp(i int) *Warp                                                { return &b.ws[i] }
func (d *Detector) Access(w *Warp, sd *Shadow, s *shape.Shape, off int64, site Site) {
}
func (d *Detector) AccessLanes(w *Warp, sd *Shadow, off *[32]int64, mask uint32, width int, site Site) {
}
func (d *Detector) Strong(w *Warp, lane int, sd *Shadow, off int64, size int, site Site, wrote bool) {
}
func (d *Detector) Fence(w *Warp, mask uint32, sc bool, sem kernel.Sem, scope kernel.Scope) {}
func (b *Block) BarrierAll()                                                                {}
func (w *Warp) Arrive(p *Phase, mask uint32)                                                {}
func (w *Warp) Depart(p *Phase, mask uint32)                                                {}
func (w *Warp) Sync(mask, alive uint32)                                                     {}
func (d *Detector) AsyncCopy(w *Warp, lane int, dst *Shadow, dstOff int64, src *Shadow, srcOff int64, n, srcN int, site Site) {
}
func (w *Warp) AsyncCommit(mask uint32)      {}
func (w *Warp) AsyncWait(mask uint32, n int) {}
func (w *Warp) Exit(mask uint32)             {}
func (d *Detector) Races() []Race            { return nil }
