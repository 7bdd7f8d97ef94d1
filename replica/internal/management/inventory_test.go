package management

import (
	"reflect"
	"slices"
	"testing"
)

func TestTheListOfSettingsIsThatOfTheArgument(t *testing.T) {
	var fields []string
	for i, settings := 0, reflect.TypeFor[settingsArg](); i < settings.NumField(); i++ {
		fields = append(fields, settings.Field(i).Tag.Get("ic"))
	}
	if !slices.Equal(fields, Settings()) {
		t.Errorf("the argument has %v, the list %v", fields, Settings())
	}
}
