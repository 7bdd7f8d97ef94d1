package architecture

import (
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

// listedFile is a line of the list of files in the documentation of the package at the root.
var listedFile = regexp.MustCompile(`(?m)^\t(\w+\.go) +`)

func TestFilesOfThePackageAtTheRootUseOnlyThoseListedBefore(t *testing.T) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
		Dir:  root(t),
	}, ".")
	if err != nil || len(loaded) != 1 || len(loaded[0].Errors) > 0 {
		t.Fatalf("loading the package at the root with types: %v %v", loaded, err)
	}
	pkg := loaded[0]
	fileOf := func(o interface{ Pos() token.Pos }) string {
		return filepath.Base(pkg.Fset.Position(o.Pos()).Filename)
	}
	var order []string
	for _, file := range pkg.Syntax {
		if fileOf(file) == "doc.go" {
			for _, line := range listedFile.FindAllStringSubmatch(file.Doc.Text(), -1) {
				order = append(order, line[1])
			}
		}
	}
	for _, file := range pkg.Syntax {
		if name := fileOf(file); name != "doc.go" && !slices.Contains(order, name) {
			t.Errorf("doc.go does not list %s", name)
		}
	}
	reported := map[string]bool{}
	uses := 0
	for ident, object := range pkg.TypesInfo.Uses {
		if _, isPackage := object.(*types.PkgName); isPackage || object.Pkg() != pkg.Types {
			continue
		}
		uses++
		user, used := fileOf(ident), fileOf(object)
		if slices.Index(order, used) > slices.Index(order, user) && !reported[user+used+object.Name()] {
			reported[user+used+object.Name()] = true
			t.Errorf("%s uses %s of %s, which doc.go lists after it", user, object.Name(), used)
		}
	}
	if uses == 0 {
		t.Fatal("no use was looked at")
	}
}
