package architecture

import (
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// oldNames are parts of names of tests that say something less plainly than the standard phrase does.
var oldNames = map[string]string{
	"ButFor":    "ExceptFor",
	"HasNot":    "DoesNot, or Without",
	"IsNo[A-Z]": "IsNotA, or Invalid",
	"IsSaid":    "IsReported",
	"IsTold":    "Learns, or IsReported",
	"Nobody":    "NoOne",
	"OfNow":     "Current",
	"Whatever":  "Any",
	"WhoGets":   "the noun of the receiver",
}

func TestNamesOfTestsArePlain(t *testing.T) {
	looked := 0
	for _, s := range sources(t) {
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !s.test() || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			looked++
			for old, better := range oldNames {
				if found := regexp.MustCompile(old).FindString(f.Name.Name); found != "" {
					t.Errorf("%s: %s says %s: say %s", s.path, f.Name.Name, found, better)
				}
			}
		}
	}
	if looked < 1000 {
		t.Errorf("only %d tests were found", looked)
	}
}

// prose are the files of this project that people read, by path. Generated files are not.
func prose(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, s := range sources(t) {
		if !s.generated() {
			files[s.path] = s.text
		}
	}
	err := filepath.WalkDir(root(t), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "bin", "node_modules", "testdata"}, entry.Name()):
			return filepath.SkipDir
		case !slices.Contains([]string{".md", ".proto"}, filepath.Ext(path)):
			return nil
		}
		name, err := filepath.Rel(root(t), path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
