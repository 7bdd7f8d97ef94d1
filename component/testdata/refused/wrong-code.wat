;; The code of a core module is checked.
(component
  (core module (func (result i32) i64.const 1)))
