;; The record has no name that a user of the function can see.
(component
  (type $point (record (field "x" s32)))
  (import "draw" (func (param "at" $point))))
