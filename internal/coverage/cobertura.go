package coverage

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
)

// The elements of Cobertura's coverage-04.dtd. All attributes are required there, and so are empty lists.
type (
	coberturaCoverage struct {
		XMLName xml.Name `xml:"coverage"`
		coberturaRates
		Covered         int               `xml:"lines-covered,attr"`
		Valid           int               `xml:"lines-valid,attr"`
		BranchesCovered int               `xml:"branches-covered,attr"`
		BranchesValid   int               `xml:"branches-valid,attr"`
		Version         string            `xml:"version,attr"`
		Timestamp       int64             `xml:"timestamp,attr"`
		Sources         coberturaSources  `xml:"sources"`
		Packages        coberturaPackages `xml:"packages"`
	}
	coberturaRates struct {
		Lines      string `xml:"line-rate,attr"`
		Branches   string `xml:"branch-rate,attr"`
		Complexity string `xml:"complexity,attr"`
	}
	coberturaSources struct {
		Source []string `xml:"source"`
	}
	coberturaPackages struct {
		Package []coberturaPackage `xml:"package"`
	}
	coberturaPackage struct {
		Name string `xml:"name,attr"`
		coberturaRates
		Classes coberturaClasses `xml:"classes"`
	}
	coberturaClasses struct {
		Class []coberturaClass `xml:"class"`
	}
	coberturaClass struct {
		Name string `xml:"name,attr"`
		File string `xml:"filename,attr"`
		coberturaRates
		Methods coberturaMethods `xml:"methods"`
		Lines   coberturaLines   `xml:"lines"`
	}
	coberturaMethods struct {
		Method []coberturaMethod `xml:"method"`
	}
	coberturaMethod struct {
		Name      string `xml:"name,attr"`
		Signature string `xml:"signature,attr"`
		coberturaRates
		Lines coberturaLines `xml:"lines"`
	}
	coberturaLines struct {
		Line []coberturaLine `xml:"line"`
	}
	coberturaLine struct {
		Number int `xml:"number,attr"`
		Hits   int `xml:"hits,attr"`
	}
)

// WriteCobertura writes a report that GitLab and Jenkins read: Cobertura's XML, with a package for each canister and a
// class for each of its files. A method has the line where it begins. Branches are not known: their rate is 0 of 0. The
// lines of a file that several canisters have are in each of their packages. The error is the writer's.
func (s *Summary) WriteCobertura(w io.Writer) error {
	all := coberturaCoverage{Version: "canisterd", Timestamp: s.options.Milliseconds, Sources: coberturaSources{slices.Clone(s.roots)}}
	if len(s.roots) == 0 {
		all.Sources.Source = []string{"."}
	}
	var total Ratio
	for i := range s.Canisters {
		c := &s.Canisters[i]
		p := coberturaPackage{Name: c.Label}
		var lines Ratio
		for j := range c.Files {
			f := &c.Files[j]
			p.Classes.Class = append(p.Classes.Class, coberturaClassOf(f))
			lines.add(f.Covered())
		}
		p.coberturaRates = rates(lines)
		all.Packages.Package = append(all.Packages.Package, p)
		total.add(lines)
	}
	all.coberturaRates, all.Covered, all.Valid = rates(total), total.Ran, total.Total
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	const doctype = `<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">`
	_, err = fmt.Fprintf(w, "%s%s\n%s\n", xml.Header, doctype, text)
	return err
}

func coberturaClassOf(f *File) coberturaClass {
	c := coberturaClass{Name: f.Name, File: f.Name, coberturaRates: rates(f.Covered())}
	for _, b := range f.Functions {
		m := coberturaMethod{Name: b.Name, coberturaRates: rates(Ratio{hit(b.Ran), 1})}
		m.Lines.Line = []coberturaLine{{b.Line, hit(b.Ran)}}
		c.Methods.Method = append(c.Methods.Method, m)
	}
	for _, m := range f.Lines {
		c.Lines.Line = append(c.Lines.Line, coberturaLine{m.Number, hit(m.Blocks.Ran > 0)})
	}
	return c
}

// rates are the rates of lines that ran. Of no lines all ran.
func rates(r Ratio) coberturaRates {
	lines := "1"
	if r.Ran < r.Total {
		lines = fmt.Sprintf("0.%04d", uint64(r.Ran)*10_000/uint64(r.Total))
	}
	return coberturaRates{lines, "0", "0"}
}
