;; Two instances of a component have two resources.
(component
  (component $maker (type $r (resource (rep i32))) (export "r" (type $r)))
  (instance $a (instantiate $maker))
  (instance $b (instantiate $maker))
  (component $user
    (import "r" (type $r (sub resource)))
    (import "take" (func (param "r" (own $r)))))
  (alias export $a "r" (type $ar))
  (alias export $b "r" (type $br))
  (core func $drop (canon resource.drop $ar))
  (func $take (param "r" (own $ar)) (canon lift (core func $drop)))
  (instance (instantiate $user (with "r" (type $br)) (with "take" (func $take)))))
