package checkpoint

import (
	"bytes"
	"errors"
	"os"
	"sync"
	"testing"
)

func eachPlace(t *testing.T, test func(t *testing.T, f *File)) {
	for name, dir := range map[string]string{"memory": "", "folder": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			f, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			test(t, f)
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			if dir == "" {
				return
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("%v is left in the folder (%v)", left, err)
			}
		})
	}
}

func TestExtentsDoNotOverlapAndAreReused(t *testing.T) {
	eachPlace(t, func(t *testing.T, f *File) {
		var all []Extent
		for _, size := range []int64{1, MinExtent, MinExtent + 1, 10 << 20, 4 << 30, 1} {
			e, err := f.Allocate(size)
			if err != nil {
				t.Fatal(err)
			}
			if e.Size < size || e.Size&(e.Size-1) != 0 || e.Size < MinExtent {
				t.Errorf("asked %d, got %d", size, e.Size)
			}
			for _, o := range all {
				if e.Offset < o.Offset+o.Size && o.Offset < e.Offset+e.Size {
					t.Errorf("%v overlaps %v", e, o)
				}
			}
			all = append(all, e)
		}
		f.Free(all[2])
		if again, err := f.Allocate(all[2].Size); err != nil || again != all[2] {
			t.Errorf("got %v, want the freed %v (%v)", again, all[2], err)
		}
		for _, e := range all {
			f.Free(e)
		}
		if n := f.InUse(); n != 0 {
			t.Errorf("%d bytes in use", n)
		}
	})
}

func TestFreedBytesReadAsZero(t *testing.T) {
	eachPlace(t, func(t *testing.T, f *File) {
		e, err := f.Allocate(MinExtent)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.WriteAt(bytes.Repeat([]byte{9}, MinExtent), e.Offset); err != nil {
			t.Fatal(err)
		}
		if err := f.Overwrite([]byte{8}, e.Offset+1); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 3)
		if err := f.ReadAt(got, e.Offset); err != nil || !bytes.Equal(got, []byte{9, 8, 9}) {
			t.Errorf("read %v (%v)", got, err)
		}
		f.Free(e)
		if !f.Punches() {
			return
		}
		all := make([]byte, MinExtent)
		if err := f.ReadAt(all, e.Offset); err != nil || !bytes.Equal(all, make([]byte, MinExtent)) {
			t.Errorf("freed bytes are not zero (%v)", err)
		}
	})
}

func TestTheFileHasALimit(t *testing.T) {
	eachPlace(t, func(t *testing.T, f *File) {
		if _, err := f.Allocate(MaxFile + 1); !errors.Is(err, ErrFull) {
			t.Errorf("allocating more than the limit: %v", err)
		}
		if e, err := f.Allocate(MinExtent); err != nil {
			t.Errorf("after that: %v, %v", e, err)
		}
	})
}

func TestExtentsAreHandedOutToManyAtOnce(t *testing.T) {
	eachPlace(t, func(t *testing.T, f *File) {
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				for range 50 {
					e, err := f.Allocate(MinExtent)
					if err != nil {
						t.Error(err)
						return
					}
					mine := bytes.Repeat([]byte{byte(i + 1)}, 4096)
					got := make([]byte, 4096)
					if err := errors.Join(f.WriteAt(mine, e.Offset), f.ReadAt(got, e.Offset)); err != nil || !bytes.Equal(got, mine) {
						t.Errorf("somebody else wrote here (%v)", err)
					}
					f.Free(e)
				}
			})
		}
		group.Wait()
	})
}
