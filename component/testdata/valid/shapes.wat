;; Value types of every constructor in the type of an imported function, and a component that passes them through.
(component
  (type $point (record (field "x" s32) (field "y" s32)))
  (import "point" (type $point' (eq $point)))
  (type $color (enum "red" "green" "blue"))
  (import "color" (type $color' (eq $color)))
  (type $style (flags "filled" "dashed"))
  (import "style" (type $style' (eq $style)))
  (type $shape (variant (case "dot" $point') (case "path" (list $point')) (case "nothing")))
  (import "shape" (type $shape' (eq $shape)))
  (import "canvas" (instance $canvas
    (alias outer 1 $shape' (type $shape))
    (alias outer 1 $color' (type $color))
    (alias outer 1 $style' (type $style))
    (export "surface" (type $surface (sub resource)))
    (export "draw" (func
      (param "on" (borrow $surface)) (param "shape" $shape) (param "color" (option $color)) (param "style" $style)
      (param "label" (tuple string char)) (param "weights" (list f64)) (result (result u64 (error string)))))))
  (component $through
    (import "canvas" (instance $canvas (export "surface" (type (sub resource)))))
    (export "out" (instance $canvas)))
  (instance $through (instantiate $through (with "canvas" (instance $canvas))))
  (export "canvas-out" (instance $canvas))
  (alias export $through "out" (instance $out))
  (export "again" (instance $out)))
