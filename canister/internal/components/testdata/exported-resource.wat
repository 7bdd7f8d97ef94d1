;; A resource that a function passes, which no canister can.
(component
  (core module $Empty)
  (core instance $empty (instantiate $Empty))
  (type $counter (resource (rep i32)))
  (canon resource.new $counter (core func $new))
  (export $exported "counter" (type $counter))
  (func (export "[constructor]counter") (param "start" u32) (result (own $exported)) (canon lift (core func $new))))
