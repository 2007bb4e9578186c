;; A joint as a plug-in for tumble: a bead on a wire that is bent to a parabola, y = k x^2 in the frame of the first body, with its
;; lowest point at the anchor and x along the axis.
;;
;;     [joints.wire]
;;     between = ["world", "bead"]
;;     parabola = { anchor = [0, 1, 0], axis = [1, 0, 0], bend = 0.5 }
;;
;; With d the arrow between the two copies of the anchor, and x, y, z the axes of the first copy, there are two rows:
;;
;;     c = y.d - k (x.d)^2,   n = y - 2 k (x.d) x          c = z.d,   n = z
;;     J = (-n, -(p2 - c1) x n, n, (p2 - c2) x n)          p2: the second anchor, c1 and c2: the centres of mass
(module
  (@custom "tumble"
    "version = 1\n"
    "kind = 'joint'\n"
    "name = 'parabola'\n"
    "description = 'A bead on a wire that is bent to a parabola.'\n"
    "rows = ['equality', 'equality']\n"
    "[[properties]]\n"
    "name = 'bend'\n"
    "unit = '1/m'\n"
    "default = 0.5\n"
    "minimum = -100.0\n"
    "maximum = 100.0\n"
    "description = 'k: the height of the wire over the square of the distance from its middle.'\n")

  (memory (export "memory") 1)

  (func $cross (param $a f64) (param $b f64) (param $c f64) (param $x f64) (param $y f64) (param $z f64)
    (result f64 f64 f64)
    (f64.sub (f64.mul (local.get $b) (local.get $z)) (f64.mul (local.get $c) (local.get $y)))
    (f64.sub (f64.mul (local.get $c) (local.get $x)) (f64.mul (local.get $a) (local.get $z)))
    (f64.sub (f64.mul (local.get $a) (local.get $y)) (f64.mul (local.get $b) (local.get $x))))

  ;; A vector turned by the quaternion at $q: v + 2 s (u x v) + 2 u x (u x v).
  (func $turned (param $q i32) (param $x f64) (param $y f64) (param $z f64) (result f64 f64 f64)
    (local $a f64) (local $b f64) (local $c f64) (local $s f64) (local $e f64) (local $f f64) (local $g f64)
    (local.set $s (f64.mul (f64.const 2) (f64.load offset=24 (local.get $q))))
    (call $cross
      (f64.load offset=0 (local.get $q)) (f64.load offset=8 (local.get $q)) (f64.load offset=16 (local.get $q))
      (local.get $x) (local.get $y) (local.get $z))
    (local.set $c) (local.set $b) (local.set $a)
    (call $cross
      (f64.load offset=0 (local.get $q)) (f64.load offset=8 (local.get $q)) (f64.load offset=16 (local.get $q))
      (local.get $a) (local.get $b) (local.get $c))
    (local.set $g) (local.set $f) (local.set $e)
    (f64.add (local.get $x)
      (f64.add (f64.mul (local.get $s) (local.get $a)) (f64.mul (f64.const 2) (local.get $e))))
    (f64.add (local.get $y)
      (f64.add (f64.mul (local.get $s) (local.get $b)) (f64.mul (f64.const 2) (local.get $f))))
    (f64.add (local.get $z)
      (f64.add (f64.mul (local.get $s) (local.get $c)) (f64.mul (f64.const 2) (local.get $g)))))

  (func $store (param $to i32) (param $x f64) (param $y f64) (param $z f64)
    (f64.store offset=0 (local.get $to) (local.get $x))
    (f64.store offset=8 (local.get $to) (local.get $y))
    (f64.store offset=16 (local.get $to) (local.get $z)))

  ;; (p2 - c) x n for the centre of mass of the body at $end, and store it at $to, times $sign.
  (func $lever (param $ends i32) (param $end i32) (param $to i32) (param $sign f64)
    (param $x f64) (param $y f64) (param $z f64)
    (local $a f64) (local $b f64) (local $c f64)
    (call $cross
      (f64.sub (f64.load offset=128 (local.get $ends)) (f64.load offset=56 (local.get $end)))
      (f64.sub (f64.load offset=136 (local.get $ends)) (f64.load offset=64 (local.get $end)))
      (f64.sub (f64.load offset=144 (local.get $ends)) (f64.load offset=72 (local.get $end)))
      (local.get $x) (local.get $y) (local.get $z))
    (local.set $c) (local.set $b) (local.set $a)
    (call $store (local.get $to)
      (f64.mul (local.get $sign) (local.get $a))
      (f64.mul (local.get $sign) (local.get $b))
      (f64.mul (local.get $sign) (local.get $c))))

  ;; Writes a row: its value and J along n.
  (func $row (param $ends i32) (param $out i32) (param $value f64) (param $x f64) (param $y f64) (param $z f64)
    (f64.store (local.get $out) (local.get $value))
    (call $store (i32.add (local.get $out) (i32.const 8))
      (f64.neg (local.get $x)) (f64.neg (local.get $y)) (f64.neg (local.get $z)))
    (call $lever (local.get $ends) (local.get $ends) (i32.add (local.get $out) (i32.const 32)) (f64.const -1)
      (local.get $x) (local.get $y) (local.get $z))
    (call $store (i32.add (local.get $out) (i32.const 56)) (local.get $x) (local.get $y) (local.get $z))
    (call $lever (local.get $ends) (i32.add (local.get $ends) (i32.const 128)) (i32.add (local.get $out) (i32.const 80))
      (f64.const 1) (local.get $x) (local.get $y) (local.get $z)))

  ;; The product of d with (x, y, z).
  (func $along (param $ends i32) (param $x f64) (param $y f64) (param $z f64) (result f64)
    (f64.add
      (f64.mul (local.get $x)
        (f64.sub (f64.load offset=128 (local.get $ends)) (f64.load offset=0 (local.get $ends))))
      (f64.add
        (f64.mul (local.get $y)
          (f64.sub (f64.load offset=136 (local.get $ends)) (f64.load offset=8 (local.get $ends))))
        (f64.mul (local.get $z)
          (f64.sub (f64.load offset=144 (local.get $ends)) (f64.load offset=16 (local.get $ends)))))))

  (func (export "rows") (param $properties i32) (param $ends i32) (param $out i32)
    (local $k f64) (local $q i32) (local $s f64) (local $t f64)
    (local $x f64) (local $y f64) (local $z f64) (local $u f64) (local $v f64) (local $w f64)
    (local.set $k (f64.load (local.get $properties)))
    (local.set $q (i32.add (local.get $ends) (i32.const 24)))
    ;; x and y of the first copy
    (call $turned (local.get $q) (f64.const 1) (f64.const 0) (f64.const 0))
    (local.set $z) (local.set $y) (local.set $x)
    (call $turned (local.get $q) (f64.const 0) (f64.const 1) (f64.const 0))
    (local.set $w) (local.set $v) (local.set $u)
    (local.set $s (call $along (local.get $ends) (local.get $x) (local.get $y) (local.get $z)))
    (local.set $t (f64.mul (f64.const -2) (f64.mul (local.get $k) (local.get $s))))
    (call $row (local.get $ends) (local.get $out)
      (f64.sub
        (call $along (local.get $ends) (local.get $u) (local.get $v) (local.get $w))
        (f64.mul (local.get $k) (f64.mul (local.get $s) (local.get $s))))
      (f64.add (local.get $u) (f64.mul (local.get $t) (local.get $x)))
      (f64.add (local.get $v) (f64.mul (local.get $t) (local.get $y)))
      (f64.add (local.get $w) (f64.mul (local.get $t) (local.get $z))))
    ;; z of the first copy
    (call $turned (local.get $q) (f64.const 0) (f64.const 0) (f64.const 1))
    (local.set $z) (local.set $y) (local.set $x)
    (call $row (local.get $ends) (i32.add (local.get $out) (i32.const 112))
      (call $along (local.get $ends) (local.get $x) (local.get $y) (local.get $z))
      (local.get $x) (local.get $y) (local.get $z))))
