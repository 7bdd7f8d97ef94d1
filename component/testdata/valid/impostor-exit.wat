;; It imports a function of WASI with another parameter.
(component
  (import "wasi:cli/exit@0.2.0" (instance (export "exit" (func (param "status" string))))))
