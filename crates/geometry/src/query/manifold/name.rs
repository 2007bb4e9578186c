//! How feature ids are built: two bits for the kind of contact, 14 for a tag, three times 16 for numbers of features.
//!
//! Ids are there to be compared: a point with the same id as one of the step before is the same contact, and a solver can begin
//! with the impulse it had then (*warm starting*). What the features are is told beside them, by [`Feature`](crate::query::Feature).

use crate::query::FeatureId;

/// The tag of contacts with a face of the first shape as reference; the face's number is added to it.
pub(super) const FACE_OF_A: u16 = 0;
/// The tag of contacts with a face of the second shape as reference.
pub(super) const FACE_OF_B: u16 = 1 << 13;

/// What two features make a point.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// An edge of each shape; or no face involved.
    EdgePair = 0,
    /// A corner of the incident face.
    IncidentCorner = 1,
    /// A corner of the reference face.
    ReferenceCorner = 2,
    /// An edge of each face.
    Crossing = 3,
}

/// Packs an id; of large numbers the lowest 16 bits.
pub(super) fn pack(kind: Kind, tag: u16, numbers: [u32; 3]) -> FeatureId {
    let [a, b, c] = numbers.map(|number| u64::from(number as u16));
    FeatureId((kind as u64) << 62 | u64::from(tag & 0x3FFF) << 48 | a << 32 | b << 16 | c)
}

/// Whether the reference of a contact is a face of the second shape.
pub(super) fn is_of_second_face(FeatureId(bits): FeatureId) -> bool {
    bits >> 62 != Kind::EdgePair as u64 && (bits >> 48) as u16 & FACE_OF_B != 0
}

/// An edge of each shape, given by two small numbers each.
pub(super) fn edge_pair_id(a: [u32; 2], b: [u32; 2]) -> FeatureId {
    pack(Kind::EdgePair, 1, [a[0] << 8 | a[1], b[0] << 8 | b[1], 0])
}
