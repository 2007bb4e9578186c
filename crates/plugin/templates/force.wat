;; A force as a plug-in for tumble: an updraft that fades with height, F = S exp(-y / H).
;;
;;     tumble run my.toml --plugins FOLDER        where this file is in FOLDER, and my.toml has
;;
;;     [forces.thermal]
;;     updraft = { strength = 12, height = 3, on.named = "leaf" }
;;
;; What it is and which properties it has stands in the section "tumble"; how it is called, in docs/plugins.md.
(module
  (@custom "tumble"
    "version = 1\n"
    "kind = 'force'\n"
    "name = 'updraft'\n"
    "description = 'Lifts bodies, the less the higher they are.'\n"
    "[[properties]]\n"
    "name = 'strength'\n"
    "unit = 'N'\n"
    "default = 5.0\n"
    "minimum = 0.0\n"
    "description = 'The force at height 0.'\n"
    "[[properties]]\n"
    "name = 'height'\n"
    "unit = 'm'\n"
    "default = 2.0\n"
    "minimum = 0.001\n"
    "description = 'It fades by the factor e over this height.'\n")

  (import "tumble" "exp" (func $exp (param f64) (result f64)))
  ;; It must be allowed to grow: what functions are given lies behind these 64 kB.
  (memory (export "memory") 1)

  ;; S exp(-y / H) for the body at $body: y is number 2 of its 21.
  (func $lift (param $properties i32) (param $body i32) (result f64)
    (f64.mul
      (f64.load (local.get $properties))
      (call $exp
        (f64.neg (f64.div (f64.load offset=16 (local.get $body)) (f64.load offset=8 (local.get $properties)))))))

  (func (export "force") (param $properties i32) (param $time f64) (param $count i32) (param $bodies i32) (param $out i32)
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        ;; The y component of the force is number 1 of 6.
        (f64.store offset=8 (local.get $out) (call $lift (local.get $properties) (local.get $bodies)))
        (local.set $bodies (i32.add (local.get $bodies) (i32.const 168)))
        (local.set $out (i32.add (local.get $out) (i32.const 48)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next))))

  ;; The potential energy: the sum of S H exp(-y / H).
  (func (export "energy") (param $properties i32) (param $time f64) (param $count i32) (param $bodies i32) (result f64)
    (local $sum f64)
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $sum
          (f64.add
            (local.get $sum)
            (f64.mul
              (f64.load offset=8 (local.get $properties))
              (call $lift (local.get $properties) (local.get $bodies)))))
        (local.set $bodies (i32.add (local.get $bodies) (i32.const 168)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next)))
    (local.get $sum)))
