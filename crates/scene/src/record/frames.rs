//! How the states of a block are packed, exactly and compactly, one after the other.
//!
//! A state is a row of 64-bit words. Each word is predicted from the two rows before: numbers that move go on as they
//! went, x̂ = 2a − b, everything else stays as it was. What is stored is the exclusive-or of the word and its prediction,
//! which has leading zeros where the prediction was good: its significant bytes, and how many there are. The lengths
//! (two to a byte) come first, with runs of zeros shortened, so that a body at rest costs next to nothing; then the bytes.
//! The first row of a block is predicted as zero, so that every block can be read on its own. Each state is a piece of its
//! own, so that it can be written at once; before version 4 all states of a block were one piece.

use std::ops::Range;
use tumble_dynamics::{BodyState, Clock, State};

/// Numbers of a body in a row: position, orientation, velocity, angular velocity, quiet time.
const OF_BODY: usize = 14;
/// Words before the bodies: time, steps, seed of the random numbers, and the clock by which time is counted.
const GENERAL: usize = 6;
/// How many of them there were before version 3, which had no clock.
const GENERAL_WITHOUT_CLOCK: usize = 3;
/// A bit of the first number of a block: its states have a clock.
const WITH_CLOCK: usize = 1 << 31;

/// The size of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) bodies: usize,
    pub(super) joints: usize,
    /// Whether the clock is written, too.
    clock: bool,
}

impl Layout {
    pub(super) fn of(state: &State) -> Self {
        Self::new(state.bodies.len(), state.broken.len())
    }

    fn new(bodies: usize, joints: usize) -> Self {
        Self { bodies, joints, clock: true }
    }

    fn general(self) -> usize {
        if self.clock { GENERAL } else { GENERAL_WITHOUT_CLOCK }
    }

    /// Words that hold flags: who sleeps, which joints are broken.
    fn flags(self) -> usize {
        self.bodies.div_ceil(64) + self.joints.div_ceil(64)
    }

    fn words(self) -> usize {
        self.general() + self.flags() + OF_BODY * self.bodies + self.joints
    }

    /// Whether a word is a number that moves, rather than one that stays.
    fn moves(self, word: usize) -> bool {
        word == 0 || word >= self.numbers()
    }

    /// Where the numbers of bodies and joints begin; all that follow move.
    fn numbers(self) -> usize {
        self.general() + self.flags()
    }

    fn row(self, state: &State, row: &mut Vec<u64>) {
        row.clear();
        row.extend([state.time.to_bits(), state.steps, state.random]);
        if self.clock {
            let Clock { start, first, dt } = state.clock;
            row.extend([start.to_bits(), first, dt.to_bits()]);
        }
        pack_flags(state.bodies.iter().map(|body| body.asleep), row);
        pack_flags(state.broken.iter().copied(), row);
        for body in &state.bodies {
            let ([x, y, z], [qx, qy, qz, qw]) = (body.position.to_array(), body.rotation.to_array());
            let ([vx, vy, vz], [wx, wy, wz]) = (body.velocity.to_array(), body.angular_velocity.to_array());
            let words: [f64; OF_BODY] = [x, y, z, qx, qy, qz, qw, vx, vy, vz, wx, wy, wz, body.quiet_time];
            row.extend_from_slice(&words.map(f64::to_bits));
        }
        row.extend(state.angles.iter().map(|angle| angle.to_bits()));
    }

    /// Makes a state what the row says. What it was does not matter, but its memory is used again.
    fn read(self, row: &[u64], state: &mut State) {
        let flag = |first: usize, index: usize| row[first + index / 64] >> (index % 64) & 1 == 1;
        let general = self.general();
        let broken_from = general + self.bodies.div_ceil(64);
        let numbers = &row[self.numbers()..];
        let (bodies, angles) = numbers.split_at(OF_BODY * self.bodies);
        let bodies = bodies.chunks_exact(OF_BODY).enumerate().map(|(index, words)| {
            let number = |i: usize| f64::from_bits(words[i]);
            let vector = |i: usize| [number(i), number(i + 1), number(i + 2)].into();
            BodyState {
                position: vector(0),
                rotation: glam::DQuat::from_array([3, 4, 5, 6].map(number)),
                velocity: vector(7),
                angular_velocity: vector(10),
                asleep: flag(general, index),
                quiet_time: number(13),
            }
        });
        (state.time, state.steps, state.random) = (f64::from_bits(row[0]), row[1], row[2]);
        // Without a clock, a run that goes on from here counts its time from here.
        state.clock = match row[GENERAL_WITHOUT_CLOCK..general] {
            [start, first, dt] => Clock { start: f64::from_bits(start), first, dt: f64::from_bits(dt) },
            _ => Clock::default(),
        };
        refill(&mut state.bodies, bodies);
        state.applied.clear();
        refill(&mut state.broken, (0..self.joints).map(|index| flag(broken_from, index)));
        refill(&mut state.angles, angles.iter().map(|&bits| f64::from_bits(bits)));
    }
}

fn refill<T>(list: &mut Vec<T>, content: impl Iterator<Item = T>) {
    list.clear();
    list.extend(content);
}

fn pack_flags(flags: impl Iterator<Item = bool>, row: &mut Vec<u64>) {
    let first = row.len();
    for (index, flag) in flags.enumerate() {
        if index % 64 == 0 {
            row.push(0);
        }
        row[first + index / 64] |= u64::from(flag) << (index % 64);
    }
}

fn predict(moves: bool, last: u64, before: u64) -> u64 {
    let straight_on = 2.0 * f64::from_bits(last) - f64::from_bits(before);
    // The bits of NaN differ between machines, so it predicts nothing.
    if moves && !straight_on.is_nan() { straight_on.to_bits() } else { last }
}

/// Packs states of one layout, each into a piece.
#[derive(Debug, Default)]
pub(super) struct Packer {
    layout: Layout,
    rows: [Vec<u64>; 3],
    /// How many states the block has, and how many bytes they took.
    count: u32,
    size: usize,
    lengths: Shortened,
    /// The bytes, with room for more behind the first `filled`.
    bytes: Vec<u8>,
    filled: usize,
    /// The lengths of the words of the present row.
    row_lengths: Vec<u8>,
}

impl Packer {
    pub(super) fn new(layout: Layout) -> Self {
        let rows = [vec![0; layout.words()], vec![0; layout.words()], Vec::new()];
        Self { layout, rows, ..Self::default() }
    }

    pub(super) fn layout(&self) -> Layout {
        self.layout
    }

    /// How many states the block has.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// How many bytes they take.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Packs the next state of the block, in place of the one before.
    pub(super) fn push(&mut self, state: &State) {
        self.lengths.clear();
        let [last, before, row] = &mut self.rows;
        self.layout.row(state, row);
        // Room for the worst case: each word is stored whole, and the next one covers those of its bytes that say nothing.
        let room = 8 * row.len();
        self.bytes.resize(room, 0);
        let (mut end, bytes, lengths) = (0, &mut self.bytes[..], &mut self.row_lengths);
        lengths.resize(row.len().next_multiple_of(2), 0);
        let known = last.iter().zip(before.iter());
        for (index, ((&word, (&last, &before)), stored)) in row.iter().zip(known).zip(lengths.iter_mut()).enumerate() {
            let difference = word ^ predict(self.layout.moves(index), last, before);
            let length = 8 - difference.leading_zeros() as usize / 8;
            bytes[end..end + 8].copy_from_slice(&difference.to_le_bytes());
            end += length;
            *stored = length as u8;
        }
        self.filled = end;
        for pair in self.row_lengths.chunks_exact(2) {
            self.lengths.push(pair[0] | pair[1] << 4);
        }
        // The second row of a block is predicted by the first alone.
        if self.count == 0 {
            before.clone_from(row);
        } else {
            std::mem::swap(last, before);
        }
        std::mem::swap(last, row);
        self.count += 1;
        self.size += self.lengths.bytes.len() + self.filled;
    }

    /// How the piece begins: that of the first state of a block tells the size of rows, all tell how many lengths there are.
    pub(super) fn counts(&self) -> Vec<u8> {
        let clock = if self.layout.clock { WITH_CLOCK } else { 0 };
        let counts = [1 | clock, self.layout.bodies, self.layout.joints, self.lengths.bytes.len()];
        let told = if self.count == 1 { &counts[..] } else { &counts[3..] };
        told.iter().flat_map(|&count| (count as u32).to_le_bytes()).collect()
    }

    /// Then come lengths and bytes.
    pub(super) fn content(&self) -> [&[u8]; 2] {
        [&self.lengths.bytes, &self.bytes[..self.filled]]
    }

    /// Begins the next block.
    pub(super) fn clear(&mut self) {
        let [last, before, _] = &mut self.rows;
        last.fill(0);
        before.fill(0);
        (self.count, self.size) = (0, 0);
    }
}

/// Bytes of lengths; zeros become a zero and how many follow it.
#[derive(Debug, Default)]
struct Shortened {
    bytes: Vec<u8>,
    /// Whether the last byte counts zeros.
    counting: bool,
}

impl Shortened {
    fn clear(&mut self) {
        self.bytes.clear();
        self.counting = false;
    }

    fn push(&mut self, byte: u8) {
        if byte != 0 {
            self.bytes.push(byte);
            self.counting = false;
            return;
        }
        match self.bytes.last_mut() {
            Some(zeros) if self.counting && *zeros < u8::MAX => *zeros += 1,
            _ => {
                self.bytes.extend([0, 0]);
                self.counting = true;
            }
        }
    }
}

/// The most bodies and joints that the states of a recording can have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    pub(super) bodies: usize,
    pub(super) joints: usize,
}

/// Reads the states of a block one after the other. It holds two rows and a piece, however many states there are.
#[derive(Debug, Default)]
pub(super) struct Unpacker {
    layout: Layout,
    last: Vec<u64>,
    before: Vec<u64>,
    piece: Vec<u8>,
    /// What was read of the piece: lengths from the one, up to the end of them, and bytes from the other.
    lengths: Range<usize>,
    bytes: usize,
    zeros: u8,
    /// How many states were read of the block, and how many are left in the piece.
    read: usize,
    left: usize,
}

const SHORT: &str = "a block of frames is too short";

impl Unpacker {
    /// Begins a block with its first piece; the error says why it makes no sense.
    pub(super) fn begin(&mut self, piece: Vec<u8>, most: Most) -> Result<(), &'static str> {
        let word = |at: usize| number(&piece, 4 * at).ok_or(SHORT);
        let (first, bodies, joints, length) = (word(0)?, word(1)?, word(2)?, word(3)?);
        let count = first & !WITH_CLOCK;
        if bodies > most.bodies || joints > most.joints || count > super::tumble::FRAMES_PER_BLOCK {
            return Err("a block of frames claims too much");
        }
        self.layout = Layout { bodies, joints, clock: first & WITH_CLOCK != 0 };
        for row in [&mut self.last, &mut self.before] {
            row.clear();
            row.resize(self.layout.words(), 0);
        }
        self.read = 0;
        self.take_piece(piece, 16, length, count)
    }

    /// Goes on with the next piece.
    pub(super) fn go_on(&mut self, piece: Vec<u8>) -> Result<(), &'static str> {
        let length = number(&piece, 0).ok_or(SHORT)?;
        if self.left > 0 || self.read >= super::tumble::FRAMES_PER_BLOCK {
            return Err("a block has more frames than it should");
        }
        self.take_piece(piece, 4, length, 1)
    }

    fn take_piece(&mut self, piece: Vec<u8>, start: usize, length: usize, count: usize) -> Result<(), &'static str> {
        if length > piece.len() - start {
            return Err(SHORT);
        }
        (self.lengths, self.bytes, self.zeros) = (start..start + length, start + length, 0);
        (self.piece, self.left) = (piece, count);
        Ok(())
    }

    /// How many states there are in the present piece that have not been read.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Makes a state what the next row says.
    pub(super) fn next(&mut self, state: &mut State) -> Result<(), &'static str> {
        let mut lengths = Lengths { bytes: &self.piece[self.lengths.clone()], zeros: self.zeros };
        let mut bytes = &self.piece[self.bytes..];
        let mut pair = 0;
        for (index, (last, before)) in self.last.iter_mut().zip(&mut self.before).enumerate() {
            pair = if index % 2 == 0 { lengths.next().ok_or(SHORT)? } else { pair >> 4 };
            let difference = take(&mut bytes, usize::from(pair & 15)).ok_or(SHORT)?;
            let word = difference ^ predict(self.layout.moves(index), *last, *before);
            *before = if self.read == 0 { word } else { *last };
            *last = word;
        }
        (self.lengths.start, self.zeros) = (self.lengths.end - lengths.bytes.len(), lengths.zeros);
        self.bytes = self.piece.len() - bytes.len();
        (self.read, self.left) = (self.read + 1, self.left.saturating_sub(1));
        self.layout.read(&self.last, state);
        Ok(())
    }
}

/// Four bytes as a number.
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize)
}

/// The next word, of which the lowest `length` bytes are there.
fn take(bytes: &mut &[u8], length: usize) -> Option<u64> {
    let (taken, left) = bytes.split_at_checked(length).filter(|_| length <= 8)?;
    let word = match bytes.first_chunk::<8>() {
        // As a rule there are eight bytes, and those of the next words are cut off.
        Some(&eight) => u64::from_le_bytes(eight) & u64::MAX.checked_shr(64 - 8 * length as u32).unwrap_or(0),
        None => {
            let mut eight = [0; 8];
            eight[..length].copy_from_slice(taken);
            u64::from_le_bytes(eight)
        }
    };
    *bytes = left;
    Some(word)
}

/// Reads lengths back.
struct Lengths<'a> {
    bytes: &'a [u8],
    zeros: u8,
}

impl Iterator for Lengths<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if self.zeros > 0 {
            self.zeros -= 1;
            return Some(0);
        }
        let (&byte, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        if byte == 0 {
            let (&run, rest) = self.bytes.split_first()?;
            (self.zeros, self.bytes) = (run, rest);
        }
        Some(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Most = Most { bodies: 10_000, joints: 10_000 };

    fn piece(packer: &Packer) -> Vec<u8> {
        let [lengths, bytes] = packer.content();
        [&packer.counts(), lengths, bytes].concat()
    }

    /// The pieces of a block.
    fn block(packer: &mut Packer, states: &[State]) -> Vec<Vec<u8>> {
        let pieces = states.iter().map(|state| {
            packer.push(state);
            piece(packer)
        });
        pieces.collect()
    }

    fn unpack(pieces: &[Vec<u8>]) -> Result<Vec<State>, &'static str> {
        let (mut unpacker, mut states) = (Unpacker::default(), Vec::new());
        for (index, piece) in pieces.iter().enumerate() {
            if index == 0 {
                unpacker.begin(piece.clone(), ANY)?
            } else {
                unpacker.go_on(piece.clone())?
            }
            while unpacker.left() > 0 {
                states.push(State::default());
                unpacker.next(&mut states[index])?;
            }
        }
        Ok(states)
    }

    fn random_state(random: &mut fastrand::Rng, layout: Layout) -> State {
        let mut word = || f64::from_bits(random.u64(..));
        let mut vector = || [word(), word(), word()].into();
        let body = |asleep| BodyState {
            position: vector(),
            rotation: glam::DQuat::from_array([1.0, -0.0, 0.5, 1e-300]),
            velocity: vector(),
            angular_velocity: vector(),
            asleep,
            quiet_time: 0.25,
        };
        let bodies: Vec<BodyState> = [true, false].into_iter().cycle().take(layout.bodies).map(body).collect();
        let broken = (0..layout.joints).map(|index| index % 3 == 0).collect();
        let angles = (0..layout.joints).map(|_| random.f64() * 20.0 - 10.0).collect();
        State {
            time: random.f64(),
            steps: random.u64(..),
            random: random.u64(..),
            clock: Clock { start: random.f64(), first: random.u64(..), dt: random.f64() },
            bodies,
            broken,
            angles,
            ..State::default()
        }
    }

    /// Recordings of version 2 have no clock; all else is as it was.
    #[test]
    fn states_of_older_recordings_come_back_without_a_clock() {
        let mut random = fastrand::Rng::with_seed(4);
        let layout = Layout { clock: false, ..Layout::new(3, 2) };
        let state = random_state(&mut random, layout);
        let back = unpack(&block(&mut Packer::new(layout), std::slice::from_ref(&state))).unwrap();
        assert_eq!(back, [State { clock: Clock::default(), ..state }]);
    }

    #[test]
    fn states_come_back_bit_for_bit() {
        let mut random = fastrand::Rng::with_seed(3);
        for (bodies, joints) in [(0, 0), (1, 0), (3, 5), (130, 70)] {
            let layout = Layout::new(bodies, joints);
            let mut states: Vec<State> = (0..7).map(|_| random_state(&mut random, layout)).collect();
            // States that stay, as of bodies at rest, and states where only some numbers change.
            states.extend(vec![states[6].clone(); 5]);
            for _ in 0..40 {
                let mut next = states[states.len() - 1].clone();
                for body in &mut next.bodies {
                    if random.u8(..4) == 0 {
                        body.velocity[random.usize(..3)] = random.f64();
                    }
                }
                states.push(next);
            }
            // What was packed before leaves no trace.
            let mut packer = Packer::new(layout);
            states[3..9].iter().for_each(|state| packer.push(state));
            packer.clear();
            let back = unpack(&block(&mut packer, &states)).unwrap();
            let prints = |states: &[State]| states.iter().map(State::fingerprint).collect::<Vec<_>>();
            assert_eq!(prints(&back), prints(&states));
        }
    }

    #[test]
    fn bodies_at_rest_cost_next_to_nothing() {
        let layout = Layout::new(1000, 0);
        let mut state = random_state(&mut fastrand::Rng::with_seed(1), layout);
        state.bodies.iter_mut().for_each(|body| *body = BodyState { asleep: true, ..BodyState::default() });
        let mut packer = Packer::new(layout);
        for step in 0..60 {
            state.time = f64::from(step) / 60.0;
            packer.push(&state);
        }
        assert!(packer.size() < 60 * 100 + 12_000, "{}", packer.size());
    }

    #[test]
    fn damaged_blocks_are_errors() {
        let layout = Layout::new(5, 2);
        let mut random = fastrand::Rng::with_seed(9);
        let states: Vec<State> = (0..4).map(|_| random_state(&mut random, layout)).collect();
        let pieces = block(&mut Packer::new(layout), &states);
        for cut in 0..pieces.len() {
            for length in 0..pieces[cut].len() {
                let mut pieces = pieces.clone();
                pieces[cut].truncate(length);
                assert!(unpack(&pieces).is_err(), "{cut} {length}");
            }
        }
        for _ in 0..20_000 {
            let mut damaged = pieces.clone();
            let piece = random.usize(..4);
            let at = random.usize(..damaged[piece].len());
            damaged[piece][at] = random.u8(..);
            let _states_or_error = unpack(&damaged);
        }
    }

    /// A block that claims more than a recording can have is refused before anything is reserved for it.
    #[test]
    fn a_small_block_does_not_become_a_large_one() {
        let layout = Layout::new(100_000, 0);
        let nowhere = BodyState { rotation: glam::DQuat::from_array([0.0; 4]), ..BodyState::default() };
        let state = State { bodies: vec![nowhere; 100_000], ..State::default() };
        let pieces = block(&mut Packer::new(layout), &[state]);
        assert!(pieces[0].len() < 10_000, "{} bytes for {} MB", pieces[0].len(), 14 * 8 * 100_000 / 1_000_000);
        assert!(unpack(&pieces).unwrap_err().contains("too much"));
    }
}
