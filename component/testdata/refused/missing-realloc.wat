;; The string must be written to memory that the component gives.
(component
  (core module $program (memory (export "memory") 1) (func (export "log") (param i32 i32)))
  (core instance $p (instantiate $program))
  (func (export "log") (param "text" string) (canon lift (core func $p "log") (memory (core memory $p "memory")))))
