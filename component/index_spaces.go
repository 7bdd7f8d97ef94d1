package component

// indexSpaces are the items of one instance by sort and index. They grow with each definition, as those of its scope did when it
// was validated. An Item is defined by the component, a Core is a core function, table, memory or global.
type indexSpaces[Item, Core any] struct {
	outer *indexSpaces[Item, Core] // of the instance that its component was defined in
	items map[sort][]Item
	core  map[sort][]Core
}

func indexSpacesIn[Item, Core any](outer *indexSpaces[Item, Core]) indexSpaces[Item, Core] {
	return indexSpaces[Item, Core]{outer, map[sort][]Item{}, map[sort][]Core{}}
}

func (s *indexSpaces[Item, Core]) add(sort sort, item Item) {
	s.items[sort] = append(s.items[sort], item)
}

func (s *indexSpaces[Item, Core]) item(i sortIndex) Item { return s.items[i.sort][i.index] }

func (s *indexSpaces[Item, Core]) addCore(sort sort, item Core) {
	s.core[sort] = append(s.core[sort], item)
}

func (s *indexSpaces[Item, Core]) coreItem(i sortIndex) Core { return s.core[i.sort][i.index] }

func (s *indexSpaces[Item, Core]) outerAlias(a outerAlias) {
	from := s
	for range a.count {
		from = from.outer
	}
	if a.sort != sortCoreType {
		s.add(a.sort, from.item(sortIndex{a.sort, a.index}))
	}
}
