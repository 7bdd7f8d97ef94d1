package ratio

import "testing"

func TestStepsOfAFrozenFloorAreNotLeftOut(t *testing.T) {
	result = 0
	frozenSteps(1)
	once := result
	frozenSteps(2)
	if once == 0 || result == once {
		t.Errorf("the steps give %d, then %d", once, result)
	}
	if stepTime() <= 0 {
		t.Error("a step takes no time")
	}
}
