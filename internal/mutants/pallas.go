package main

// pallasMutants break the detector of Pallas kernels, and what tells it of them.
var pallasMutants = []mutant{
	// clocks
	{"region: an arrival covers what follows", "race/region/group.go", "	p.clock.join(&t.clock, tensor)\n	t.handOn()", "	p.clock.join(&t.clock, tensor)\n	t.handed = t.stamp"},
	{"region: every barrier orders the tensor core", "race/region/clock.go", "	if tensor {\n		raise(v.tensor", "	if true {\n		raise(v.tensor"},
	{"region: a fence forgets other clusters", "race/region/group.go", "		raise(v.async, v.generic)\n", "		_ = v\n"},
	{"region: joins see all through the async proxy", "race/region/clock.go", "	raise(v.async, o.async)\n", "	raise(v.async, o.generic)\n"},
	{"region: joins lose the async proxy", "race/region/clock.go", "	raise(v.async, o.async)\n", ""},
	{"region: joins lose operations", "race/region/clock.go", "	v.ops.join(&o.ops)\n", ""},
	{"region: an operation's source is the whole operation", "race/region/group.go", "	t.clock.opsOf(o).add(2 * o.number)\n", "	t.clock.opsOf(o).both(o.number)\n"},
	{"region: wgmmas are not in line", "race/region/group.go", "	o.clock.ops.both(p.number)\n", ""},
	{"region: a copy arrives without its issuer's past", "race/region/group.go", "	p.clock.join(&o.clock, false)\n	p.clock.opsOf(o)", "	p.clock.join(&Clock{view: newView(len(o.clock.generic)), group: o.clock.group}, false)\n	p.clock.opsOf(o)"},
	{"region: fork forgets the tensor core's work", "race/region/group.go", "	w.mmas.inherit(&t.mmas)\n", ""},
	{"region: join forgets the tensor core's work", "race/region/group.go", "	t.mmas.inherit(&w.mmas)\n", ""},
	{"region: join orders nothing", "race/region/group.go", "	t.clock.join(&w.clock, true)\n", ""},

	// records
	{"region: reads replace each other", "race/region/access.go", "			if a.before(r, a.pruning()) {\n", "			if true {\n"},
	{"region: a read of a copy makes unfenced ones superfluous", "race/region/access.go", "	if a.e.op != 0 && a.proxy == Generic {\n", "	if false {\n"},
	{"region: an atomic update replaces what was before", "race/region/access.go", "		p.reads = append(p.reads, p.write)\n", "		p.reads = p.reads[:0]\n"},
	{"region: reads see the last atomic update only", "race/region/access.go", "if p.reads[i].write && !a.before", "if false && !a.before"},
	{"region: the async proxy is the generic one", "race/region/access.go", "		return e.stamp <= v.async[e.thread]\n", "		return e.stamp <= v.generic[e.thread]\n"},
	{"region: a split span shares its reads", "race/region/shadow.go", "span{p.lo, lo, p.write, slices.Clone(p.reads)}", "span{p.lo, lo, p.write, nil}"},
	{"region: a gap of a read is not recorded", "race/region/shadow.go", "		case at < hi:\n			fresh = append(fresh, a.recorded(span{lo: at, hi: hi}))\n", ""},

	// the tensor core
	{"region: products wait for all products", "race/region/tensor.go", "		return \"mma \" + p.Key\n", "		return \"mma\"\n"},
	{"region: copies wait for copies", "race/region/tensor.go", "	if pipe.MMA {\n		for", "	if true {\n		for"},
	{"region: products do not wait for copies", "race/region/tensor.go", "			other.parents(o, pipe.copies())\n", ""},
	{"region: products wait for work that nobody knows of", "race/region/tensor.go", "	known := sort.Search(len(list), func(i int) bool { return list[i].stamp > o.clock.tensor[t.id] })\n", "	known := sort.Search(len(list), func(i int) bool { return false })\n"},
	{"region: the last of a thread's work stands for all", "race/region/tensor.go", "		if list[n-1].stamp > t.handed {", "		if true {"},
	{"region: a commit covers nothing before it", "race/region/tensor.go", "	c.clock.join(&t.mmas.done, true)\n", ""},
	{"region: stores to tensor memory settle for threads only", "race/region/tensor.go", "	t.Await(o)\n	t.clock.tmem.both(o.number)\n", "	t.Await(o)\n"},

	// what feeds it
	{"array: a late waiter gets the present phase", "array/barrier.go", "b.clocks[b.state.Next(o)]; p != nil", "b.phase(); p != nil"},
	{"array: a wait for signals knows of all", "array/semaphore.go", "		if x.total >= s.consumed+n {\n", "		if false {\n"},
	{"array: a wait for groups waits for all", "array/copy.go", "	for ; len(g.reads) > n; g.reads = g.reads[1:] {\n", "	for ; len(g.reads) > 0; g.reads = g.reads[1:] {\n"},
	{"array: a read-only wait is a wait", "array/copy.go", "	for ; !readOnly && len(g.writes) > n;", "	for ; len(g.writes) > n;"},
	{"array: scopes do not use memory again", "array/scope.go", "	t.smemTop, t.tmemTop = shared, tmem\n", "	_, _ = shared, tmem\n"},
	{"array: warps keep what they have not waited for", "array/thread.go", "		t.warpgroup().takeOver(t)\n", ""},
	{"array: a late operation reads when it is too late", "array/transfer.go", "	if readOnly {\n		t.readTransfer(o.effect)\n	} else {", "	if readOnly {\n	} else {"},
	{"barrier: transactions are not waited for", "barrier/phased.go", "	if b.arrived < b.Arrivals || b.expected != 0 {\n", "	if b.arrived < b.Arrivals {\n"},
	{"barrier: warps need not have seen the same", "barrier/phased.go", "	case !same:\n", "	case false:\n"},
	{"barrier: a phase is passed before it is complete", "barrier/phased.go", "	return last < b.Phase, nil\n", "	return last <= b.Phase, nil\n"},
	{"array: a copy that arrives at a barrier is not awaited there", "array/transfer.go", "		if x.arrivesAt(b) {\n			t.finish", "		if x.arrivesAt(b) && x.read == nil {\n			t.finish"},
}
