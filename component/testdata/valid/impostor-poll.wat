;; It imports a function of WASI with another resource.
(component
  (import "wasi:io/poll@0.2.0" (instance
    (export "error" (type $error (sub resource)))
    (export "poll" (func (param "in" (list (borrow $error))) (result (list u32)))))))
