;; Names of parameters are part of the type of a function.
(component
  (import "log" (func $log (param "text" string)))
  (component $user (import "log" (func (param "message" string))))
  (instance (instantiate $user (with "log" (func $log)))))
