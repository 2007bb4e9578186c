//! Poses in few bytes.
//!
//! A position is a whole number of units along each axis; the scene's unit is a power of two, 2⁻¹³ m (0.12 mm) unless its
//! bodies are tiny. An orientation is the three smallest components of its quaternion, 15 bits each, and the number of the
//! fourth, which the unit length gives back: 47 bits, an error of at most 4·10⁻⁵. The last bit says whether the body sleeps.
//!
//! A frame holds only the bodies that changed since the last frame on the same connection, and positions as differences
//! to it. Everything is little-endian; a varint has seven bits in each byte, the low ones first, and its sign in the
//! lowest bit:
//!
//! | bytes | what |
//! |---|---|
//! | 1 | the kind of the message: 1 for the scene, 4 for the second run beside it |
//! | 8 | the time in seconds, `f64` |
//! | 8 | the number of steps, `f64` |
//! | 4 | the number of bodies that follow, `u32` |
//! | 1 or more | the slot, as the (unsigned) varint of the difference to one more than the slot before |
//! | 3 or more | the change of position in units, three varints |
//! | 6 | orientation and sleep |

use glam::DQuat;
use tumble_geometry::Transform;

/// The first byte of a frame, and of one of the second run.
pub(crate) const FRAME: u8 = 1;
pub(crate) const SECOND_FRAME: u8 = 4;
/// The first byte of a message that says whether there is a second run; the other byte is 1 if one begins, 0 if it ends.
pub(crate) const SECOND: u8 = 5;
/// The unit of positions in scenes of ordinary size: 2⁻¹³ m.
const USUAL_UNIT: f64 = 1.0 / 8192.0;
/// How many units the smallest body measures at least.
const FINENESS: f64 = 256.0;
/// Positions are cut off at this many units, which JavaScript still counts exactly.
const FARTHEST: f64 = (1u64 << 50) as f64;
/// Components other than the largest lie within ±1/√2; this many steps from 0 to there.
const STEPS: f64 = 16_383.0;

/// The unit of positions in metres for a scene whose smallest body has this size in metres.
pub(crate) fn unit_for(smallest: f64) -> f64 {
    let mut unit = USUAL_UNIT;
    while smallest > 0.0 && unit * FINENESS > smallest && unit > 1e-9 {
        unit *= 0.5;
    }
    unit
}

/// A pose as it goes over the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pose {
    position: [i64; 3],
    turn: u64,
}

impl Pose {
    pub(crate) fn new(pose: &Transform, asleep: bool, unit: f64) -> Self {
        let position = pose.translation.to_array().map(|x| (x / unit).round().clamp(-FARTHEST, FARTHEST) as i64);
        Self { position, turn: pack(pose.rotation) | u64::from(asleep) << 47 }
    }
}

/// The three smallest components in 15 bits each, then the number of the largest in two.
fn pack(rotation: DQuat) -> u64 {
    let components = rotation.to_array();
    let mut largest = 0;
    for index in 1..4 {
        if components[index].abs() > components[largest].abs() {
            largest = index;
        }
    }
    // q and −q are the same orientation: make the component left out positive.
    let sign = if components[largest] < 0.0 { -1.0 } else { 1.0 };
    let others = (0..4).filter(|&index| index != largest);
    let mut packed = (largest as u64) << 45;
    for (place, index) in others.enumerate() {
        let scaled = (components[index] * sign * std::f64::consts::SQRT_2 * STEPS).round().clamp(-STEPS, STEPS);
        packed |= ((scaled + STEPS) as u64) << (15 * place);
    }
    packed
}

/// Makes the frames of one connection.
#[derive(Debug, Default)]
pub(crate) struct FrameEncoder {
    sent: Vec<Option<Pose>>,
}

impl FrameEncoder {
    /// Forgets a body: if its slot is used again, that is another one.
    pub(crate) fn forget(&mut self, slot: usize) {
        if let Some(pose) = self.sent.get_mut(slot) {
            *pose = None;
        }
    }

    /// The frame that takes a page from what it has to these poses, by slot.
    pub(crate) fn encode(&mut self, kind: u8, time: f64, steps: u64, poses: &[Option<Pose>]) -> Vec<u8> {
        self.sent.resize(poses.len(), None);
        let mut bytes = vec![kind];
        bytes.extend(time.to_le_bytes());
        bytes.extend((steps as f64).to_le_bytes());
        bytes.extend([0; 4]);
        let (mut count, mut next) = (0u32, 0);
        for (slot, (sent, pose)) in self.sent.iter_mut().zip(poses).enumerate() {
            let Some(new) = pose.filter(|_| sent != pose) else { continue };
            let old = sent.unwrap_or_default().position;
            varint((slot - next) as u64, &mut bytes);
            for (new, old) in new.position.into_iter().zip(old) {
                let change = new - old;
                varint((change << 1 ^ change >> 63) as u64, &mut bytes);
            }
            bytes.extend(&new.turn.to_le_bytes()[..6]);
            *sent = Some(new);
            (count, next) = (count + 1, slot + 1);
        }
        bytes[17..21].copy_from_slice(&count.to_le_bytes());
        bytes
    }
}

fn varint(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use tumble_geometry::math::rotation_about;

    fn unpack(packed: u64) -> DQuat {
        let largest = (packed >> 45 & 3) as usize;
        let mut components = [0.0; 4];
        let mut rest = 1.0;
        for (place, index) in (0..4).filter(|&index| index != largest).enumerate() {
            let value = ((packed >> (15 * place) & 0x7fff) as f64 - STEPS) / STEPS / std::f64::consts::SQRT_2;
            components[index] = value;
            rest -= value * value;
        }
        components[largest] = rest.max(0.0).sqrt();
        DQuat::from_array(components)
    }

    #[test]
    fn orientations_survive_to_four_hundred_thousandths() {
        let mut worst: f64 = 0.0;
        for step in 0..20_000 {
            let (a, b) = (f64::from(step) * 0.137, f64::from(step) * 0.071);
            let axis = DVec3::new(libm::sin(a), libm::cos(b), libm::sin(b + 1.0));
            let rotation = rotation_about(axis.normalize(), 0.01 * f64::from(step));
            let back = unpack(pack(rotation));
            let apart =
                (0..4).map(|i| (back.to_array()[i] - rotation.to_array()[i] * back.dot(rotation).signum()).abs());
            worst = apart.fold(worst, f64::max);
        }
        assert!(worst < 8e-5, "{worst}");
    }

    #[test]
    fn a_frame_holds_only_what_moved() {
        let pose = |x: f64, asleep| {
            Some(Pose::new(&Transform::from_translation(DVec3::new(x, 0.0, 0.0)), asleep, unit_for(1.0)))
        };
        let mut encoder = FrameEncoder::default();
        let header = 21;
        // Slot; 8192 or 16384 units, doubled, in three bytes and two coordinates of zero; the orientation.
        assert_eq!(
            encoder.encode(FRAME, 0.0, 0, &[pose(1.0, false), None, pose(2.0, false)]).len(),
            header + 2 * (1 + 5 + 6)
        );
        assert_eq!(encoder.encode(FRAME, 0.1, 1, &[pose(1.0, false), None, pose(2.0, false)]).len(), header);
        let frame = encoder.encode(FRAME, 0.2, 2, &[pose(1.0, false), None, pose(2.01, false)]);
        // Slot 2 after none; 82 units, twice, in two bytes; two coordinates that stayed; the orientation.
        assert_eq!(frame[header..header + 5], [2, 0xa4, 0x01, 0, 0]);
        assert_eq!(frame.len(), header + 11);
        assert_eq!(encoder.encode(FRAME, 0.3, 3, &[pose(1.0, true), None, pose(2.01, false)]).len(), header + 10);
    }

    #[test]
    fn places_beyond_all_measure_are_cut_off() {
        let far = Transform::from_translation(DVec3::new(1e300, -1e300, 0.0));
        let pose = Pose::new(&far, false, unit_for(0.0));
        assert_eq!(pose.position, [1 << 50, -(1 << 50), 0]);
    }

    #[test]
    fn tiny_bodies_get_a_finer_unit() {
        assert_eq!(unit_for(1.0), USUAL_UNIT);
        assert!(unit_for(1e-3) <= 1e-3 / FINENESS);
    }
}
