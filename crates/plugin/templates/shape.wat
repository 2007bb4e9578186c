;; A convex shape as a plug-in for tumble: a superellipsoid, |x/a|^p + |y/b|^p + |z/c|^p <= 1. With p = 2 it is an ellipsoid, with a
;; large p nearly a box.
;;
;;     shape.superellipsoid = { radii = [0.5, 0.2, 0.3], exponent = 4 }
;;
;; The point farthest along d has x = a sgn(d_x) u_x^(1/(p-1)) / N with u = (a |d_x|, b |d_y|, c |d_z|) and
;; N = (u_x^q + u_y^q + u_z^q)^(1/p), q = p/(p-1).
(module
  (@custom "tumble"
    "version = 1\n"
    "kind = 'shape'\n"
    "name = 'superellipsoid'\n"
    "description = 'Between an ellipsoid and a box.'\n"
    "[[properties]]\n"
    "name = 'radii'\n"
    "type = 'vector'\n"
    "unit = 'm'\n"
    "default = [0.5, 0.5, 0.5]\n"
    "minimum = 0.001\n"
    "maximum = 1000.0\n"
    "description = 'Half its lengths along x, y and z.'\n"
    "[[properties]]\n"
    "name = 'exponent'\n"
    "default = 4.0\n"
    "minimum = 1.25\n"
    "maximum = 20.0\n"
    "description = 'How much like a box it is: 2 for an ellipsoid.'\n")

  (import "tumble" "pow" (func $pow (param f64 f64) (result f64)))
  (memory (export "memory") 1)

  (func (export "support") (param $properties i32) (param $x f64) (param $y f64) (param $z f64) (param $out i32)
    (local $u f64) (local $v f64) (local $w f64) (local $largest f64) (local $p f64) (local $q f64) (local $n f64)
    (local.set $p (f64.load offset=24 (local.get $properties)))
    (local.set $q (f64.div (f64.const 1) (f64.sub (local.get $p) (f64.const 1))))
    (local.set $u (f64.mul (f64.load offset=0 (local.get $properties)) (f64.abs (local.get $x))))
    (local.set $v (f64.mul (f64.load offset=8 (local.get $properties)) (f64.abs (local.get $y))))
    (local.set $w (f64.mul (f64.load offset=16 (local.get $properties)) (f64.abs (local.get $z))))
    ;; Only the direction counts: the largest becomes 1, so that no power is too large or too small.
    (local.set $largest (f64.max (local.get $u) (f64.max (local.get $v) (local.get $w))))
    (local.set $u (f64.div (local.get $u) (local.get $largest)))
    (local.set $v (f64.div (local.get $v) (local.get $largest)))
    (local.set $w (f64.div (local.get $w) (local.get $largest)))
    (local.set $n
      (call $pow
        (f64.add
          (call $pow (local.get $u) (f64.mul (local.get $p) (local.get $q)))
          (f64.add
            (call $pow (local.get $v) (f64.mul (local.get $p) (local.get $q)))
            (call $pow (local.get $w) (f64.mul (local.get $p) (local.get $q)))))
        (f64.div (f64.const 1) (local.get $p))))
    (f64.store offset=0 (local.get $out)
      (f64.copysign
        (f64.div
          (f64.mul (f64.load offset=0 (local.get $properties)) (call $pow (local.get $u) (local.get $q)))
          (local.get $n))
        (local.get $x)))
    (f64.store offset=8 (local.get $out)
      (f64.copysign
        (f64.div
          (f64.mul (f64.load offset=8 (local.get $properties)) (call $pow (local.get $v) (local.get $q)))
          (local.get $n))
        (local.get $y)))
    (f64.store offset=16 (local.get $out)
      (f64.copysign
        (f64.div
          (f64.mul (f64.load offset=16 (local.get $properties)) (call $pow (local.get $w) (local.get $q)))
          (local.get $n))
        (local.get $z)))))
