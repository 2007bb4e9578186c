//! Cuts a polygon in space into triangles: a fan if it is convex, ears otherwise.

use glam::DVec3;

/// The most corners a polygon that is not convex may have: cutting off ears takes time of the third power.
const MOST_CORNERS: usize = 500;

/// The triangles of a polygon, as indices into `corners`.
pub(super) fn triangulate(corners: &[DVec3]) -> Result<Vec<[usize; 3]>, String> {
    let count = corners.len();
    if count < 3 {
        return Err(format!("a face has {count} corners, but at least 3 are needed"));
    }
    // Newell's normal: the sum of the cross products of successive corners, whatever the polygon's shape.
    let cross = |i: usize| (corners[i] - corners[0]).cross(corners[(i + 1) % count] - corners[0]);
    let normal: DVec3 = (0..count).map(cross).sum();
    let turn = |a: usize, b: usize, c: usize| (corners[b] - corners[a]).cross(corners[c] - corners[b]).dot(normal);
    let fan = || (1..count - 1).map(|i| [0, i, i + 1]).collect();
    if count == 3 || (0..count).all(|i| turn(i, (i + 1) % count, (i + 2) % count) >= 0.0) {
        return Ok(fan());
    }
    if count > MOST_CORNERS {
        return Err(format!("a face that is not convex has {count} corners; the most is {MOST_CORNERS}"));
    }
    let mut left: Vec<usize> = (0..count).collect();
    let mut triangles = Vec::with_capacity(count - 2);
    while left.len() > 3 {
        let n = left.len();
        let triple = |i: usize| [left[(i + n - 1) % n], left[i], left[(i + 1) % n]];
        let inside = |[a, b, c]: [usize; 3], p: usize| {
            let side = |from: usize, to: usize| {
                (corners[to] - corners[from]).cross(corners[p] - corners[from]).dot(normal) >= 0.0
            };
            p != a && p != b && p != c && side(a, b) && side(b, c) && side(c, a)
        };
        let is_ear = |&i: &usize| {
            let [a, b, c] = triple(i);
            turn(a, b, c) > 0.0 && !left.iter().any(|&p| inside([a, b, c], p))
        };
        // A polygon that crosses itself may have no ear; any corner will do then.
        let ear = (0..n).find(is_ear).unwrap_or(0);
        triangles.push(triple(ear));
        left.remove(ear);
    }
    triangles.push([left[0], left[1], left[2]]);
    Ok(triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(corners: &[DVec3]) -> f64 {
        let triangles = triangulate(corners).unwrap();
        let signed = |[a, b, c]: &[usize; 3]| 0.5 * (corners[*b] - corners[*a]).cross(corners[*c] - corners[*a]).z;
        assert!(triangles.iter().all(|triangle| signed(triangle) >= 0.0), "{triangles:?}");
        triangles.iter().map(signed).sum()
    }

    #[test]
    fn an_arrow_head_is_covered_once() {
        let arrow = [[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [0.5, 1.0]].map(|[x, y]| DVec3::new(x, y, 3.0));
        assert!((area(&arrow) - 1.5).abs() < 1e-15);
    }

    #[test]
    fn a_comb_is_covered_once() {
        let mut corners = vec![DVec3::new(10.0, 0.0, 0.0), DVec3::new(10.0, 3.0, 0.0)];
        for tooth in (0..10).rev() {
            corners.push(DVec3::new(f64::from(tooth) + 0.5, 1.0, 0.0));
            corners.push(DVec3::new(f64::from(tooth), 3.0, 0.0));
        }
        corners.push(DVec3::ZERO);
        let shoelace: f64 =
            (0..corners.len()).map(|i| 0.5 * corners[i].cross(corners[(i + 1) % corners.len()]).z).sum();
        assert!((area(&corners) - shoelace).abs() < 1e-12);
    }
}
