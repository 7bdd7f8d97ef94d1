package replica_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/replica"
)

func TestPrint(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(ty reflect.Type) {
		switch ty.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			visit(ty.Elem())
		case reflect.Map:
			visit(ty.Key())
			visit(ty.Elem())
		case reflect.Struct:
			if seen[ty] || !strings.Contains(ty.PkgPath(), "canisterd") {
				return
			}
			seen[ty] = true
			for _, stop := range []string{"certify.", "canister.", "threshold.", "principal.", "cycles.", "replica.routes", "replica.SubnetConfig", "replica.Config", "intercanister.Reject", "intercanister.SenderInfo"} {
				if strings.HasPrefix(ty.String(), stop) {
					return
				}
			}
			fmt.Printf("\"%s\": `", ty)
			for i := range ty.NumField() {
				f := ty.Field(i)
				fmt.Printf("%s[%s] ", f.Name, f.Type)
			}
			fmt.Println("`,")
			for i := range ty.NumField() {
				visit(ty.Field(i).Type)
			}
		}
	}
	visit(reflect.TypeFor[replica.Network]())
}
