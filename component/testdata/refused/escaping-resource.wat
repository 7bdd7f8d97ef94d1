;; An exported function returns a resource that is not exported.
(component
  (core module $program (func (export "make") (result i32) (i32.const 1)))
  (core instance $p (instantiate $program))
  (type $r (resource (rep i32)))
  (func $make (result (own $r)) (canon lift (core func $p "make")))
  (export "make" (func $make)))
