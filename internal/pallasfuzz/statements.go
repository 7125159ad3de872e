package pallasfuzz

import (
	"math"
	"slices"

	"gpusim/array"
	"gpusim/tensor"
)

func (w *worker) ref(s Slice) array.Ref {
	r := w.items[w.p.Bufs[s.Buf].Name].Ref
	row := s.Row
	if s.PerPoint {
		row += side * w.t.Point()[0]
	}
	r = w.t.IndexCopy(r, array.Index{Start: row, Size: s.Rows, Stride: s.RowBy}, array.Index{Start: s.Col, Size: s.Cols, Stride: s.ColBy})
	if s.Block >= 0 {
		r = w.t.OnBlock(r, w.p.coords(s.Block))
	}
	if s.Device >= 0 {
		r = w.t.OnDevice(r, s.Device)
	}
	return r
}

// coords are the coordinates of a block.
func (p *Program) coords(block int) []int {
	c := make([]int, len(p.Cluster))
	for i := len(c) - 1; i >= 0; i-- {
		c[i] = block % p.Cluster[i]
		block /= p.Cluster[i]
	}
	return c
}

func (w *worker) barrier(i int) *array.Barrier { return w.items[w.p.Bars[i].Name].Barriers[0] }

func (w *worker) semaphore(i int) *array.Semaphore {
	if w.p.Sems[i].Global {
		return w.t.GlobalSemaphores(i, []int{1}).Semaphores[0]
	}
	return w.items[w.p.Sems[i].Name].Semaphores[0]
}

// element is the i-th element of what a statement stores.
func element(s *Stmt, i, value int) float32 { return float32((s.N + i + value) % 7) }

// fold makes a small number of what was loaded.
func fold(old int, list []float32) int {
	for _, x := range list {
		if f := float64(x); !math.IsNaN(f) && !math.IsInf(f, 0) {
			old += int(math.Mod(math.Abs(f), 97))
		}
	}
	return old % 97
}

// given is what a statement stores.
func (w *worker) given(s *Stmt, r array.Ref) tensor.Value {
	v := tensor.Make(tensor.F32, r.Shape())
	for i, x := 0, tensor.As[float32](v); i < len(x); i++ {
		x[i] = element(s, i, w.value)
	}
	return v
}

// mask is the mask of a masked access.
func mask(s *Stmt, r array.Ref) tensor.Value {
	v := tensor.Make(tensor.Bool, r.Shape())
	for i := range v.Data {
		v.Data[i] = byte(s.N >> (i % 8) & 1)
	}
	return v
}

func (w *worker) loaded(e *Event, v tensor.Value) {
	e.Values = slices.Clone(tensor.As[float32](v))
	w.value = fold(w.value, e.Values)
}

func (w *worker) wait(s *Stmt) {
	switch s.Op {
	case Wait:
		w.t.Wait(w.barrier(s.Bar))
	case Poll:
		for !w.t.Test(w.barrier(s.Bar)) {
			w.t.Tick(1)
		}
	case Await:
		w.t.WaitSemaphore(w.semaphore(s.Bar), s.N, s.Flag)
	}
}

// do executes a statement that does not wait.
func (w *worker) do(s *Stmt, e *Event) {
	t := w.t
	switch s.Op {
	case Load:
		w.loaded(e, t.Load(w.ref(s.Src)))
	case Store:
		r := w.ref(s.Dst)
		t.Store(r, w.given(s, r))
	case StoreAll:
		r := w.ref(s.Dst)
		t.MultimemStore(r, w.given(s, r))
	case Add:
		r := w.ref(s.Dst)
		t.AddUpdate(r, w.given(s, r))
	case Swap:
		r := w.ref(s.Dst)
		w.loaded(e, t.Swap(r, w.given(s, r)))
	case LoadMasked:
		r := w.ref(s.Src)
		w.loaded(e, t.LoadMasked(r, mask(s, r), tensor.Float(tensor.F32, 3)))
	case SwapMasked:
		r := w.ref(s.Dst)
		t.SwapMasked(r, w.given(s, r), mask(s, r), s.Flag)
	case Atomic:
		r := w.ref(s.Dst)
		if s.Flag {
			m := mask(s, r)
			t.AtomicStore(r, w.given(s, r), &m, "add")
		} else {
			t.AtomicStore(r, w.given(s, r), nil, "add")
		}
	case Fence:
		t.FenceAsync()
	case Arrive:
		t.Arrive(w.barrier(s.Bar))
	case CopyIn:
		how := array.CopyIn{Collective: s.Dims, Tracked: s.Track, Partition: -1}
		if s.Part {
			how.Partition = 0
		}
		t.CopyIn(w.ref(s.Src), w.ref(s.Dst), w.barrier(s.Bar), how)
	case CopyOut:
		how := array.CopyOut{Commit: s.Flag}
		if s.N > 0 {
			how.Reduction = "add"
		}
		t.CopyOut(w.ref(s.Src), w.ref(s.Dst), how)
	case Commit:
		t.CommitGroup()
	case WaitOut:
		t.WaitCopies(s.N, false)
	case WaitRead:
		t.WaitCopies(s.N, true)
	case CopyInGroup:
		t.CopyInGroup(w.ref(s.Src), w.ref(s.Dst))
	case WaitIn:
		t.WaitCopiesIn(s.N)
	case AsyncStore:
		op := ""
		if s.Flag {
			op = "add"
		}
		r := w.ref(s.Dst)
		t.AsyncStore(w.given(s, r), r, w.barrier(s.Bar), s.Block, op)
	case Signal:
		t.Signal(w.semaphore(s.Bar), s.N, s.Device)
	default:
		w.matrix(s, e)
	}
}

// matrix executes a statement of the tensor cores.
func (w *worker) matrix(s *Stmt, e *Event) {
	t := w.t
	switch s.Op {
	case WGMMA:
		if s.Flag { // A in registers
			v := tensor.Make(tensor.F32, []int{s.Dst.Rows, s.Src2.Rows})
			for i, x := 0, tensor.As[float32](v); i < len(x); i++ {
				x[i] = element(s, i, w.value)
			}
			t.WGMMA(w.ref(s.Dst), v, w.ref(s.Src2))
			return
		}
		t.WGMMA(w.ref(s.Dst), w.ref(s.Src), w.ref(s.Src2))
	case WaitWGMMA:
		t.WaitWGMMA(s.N)
	case LoadAcc:
		w.loaded(e, t.LoadAccumulator(w.ref(s.Src), s.N))
	case StoreAcc:
		r := w.ref(s.Dst)
		t.StoreAccumulator(r, w.given(s, r))
	case MMA:
		m := array.MMA5{Acc: w.ref(s.Dst), A: w.ref(s.Src), B: w.ref(s.Src2), Accumulate: s.Flag, Collective: s.Both}
		if s.Bar >= 0 {
			m.Barrier = w.barrier(s.Bar)
		}
		t.MMA5(m)
	case CommitArrive:
		t.CommitArrive(w.barrier(s.Bar), s.Flag)
	case ToTMEM:
		t.CopyToTMEM(w.ref(s.Src), w.ref(s.Dst), "", s.Flag)
	case StoreT:
		r := w.ref(s.Dst)
		t.StoreTMEM(r, w.given(s, r))
	case LoadT:
		w.loaded(e, t.LoadTMEM(w.ref(s.Src)))
	case CommitT:
		t.CommitTMEM()
	case WaitLoadT:
		t.WaitLoadTMEM()
	}
}
