;; A method as a plug-in for tumble: the leapfrog, which moves bodies as points and lets them turn no faster and no slower.
;;
;;     method = "leapfrog"
;;
;; Half a kick, a drift, half a kick: v' = v + h/2 F(x)/m, x' = x + h v', v'' = v' + h/2 F(x')/m. It is of second order and keeps
;; energies in bounds for ever. The first call does the first two and asks for the forces at x'; the second ends the step.
(module
  (@custom "tumble"
    "version = 1\n"
    "kind = 'method'\n"
    "name = 'leapfrog'\n"
    "description = 'Half a kick, a drift, half a kick, for bodies as points.'\n")

  (memory (export "memory") 1)

  ;; v += h/2 F/m for one axis of a body in $next; positions and velocities are 56 bytes apart there.
  (func $kick (param $h f64) (param $mass f64) (param $force i32) (param $velocity i32)
    (f64.store (local.get $velocity)
      (f64.add
        (f64.load (local.get $velocity))
        (f64.div
          (f64.mul (f64.mul (f64.const 0.5) (local.get $h)) (f64.load (local.get $force)))
          (local.get $mass)))))

  (func $drift (param $h f64) (param $position i32)
    (f64.store (local.get $position)
      (f64.add
        (f64.load (local.get $position))
        (f64.mul (local.get $h) (f64.load offset=56 (local.get $position))))))

  ;; A body has 21 numbers (168 bytes), a force 6 (48 bytes), a motion 13 (104 bytes).
  (func (export "stage")
    (param $index i32) (param $properties i32) (param $h f64) (param $count i32)
    (param $bodies i32) (param $forces i32) (param $next i32) (result f64)
    (local $axis i32)
    (block $done
      (loop $body
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $axis (i32.const 0))
        (loop $axes
          (call $kick (local.get $h) (f64.load (local.get $bodies))
            (i32.add (local.get $forces) (local.get $axis))
            (i32.add (i32.add (local.get $next) (i32.const 56)) (local.get $axis)))
          (if (i32.eqz (local.get $index))
            (then (call $drift (local.get $h) (i32.add (local.get $next) (local.get $axis)))))
          (local.set $axis (i32.add (local.get $axis) (i32.const 8)))
          (br_if $axes (i32.lt_u (local.get $axis) (i32.const 24))))
        (local.set $bodies (i32.add (local.get $bodies) (i32.const 168)))
        (local.set $forces (i32.add (local.get $forces) (i32.const 48)))
        (local.set $next (i32.add (local.get $next) (i32.const 104)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $body)))
    (select (f64.const -1) (local.get $h) (local.get $index))))
