//! How a block of states is packed, exactly and compactly.
//!
//! A state is a row of 64-bit words. Each word is predicted from the two rows before: numbers that move go on as they
//! went, x̂ = 2a − b, everything else stays as it was. What is stored is the exclusive-or of the word and its prediction,
//! which has leading zeros where the prediction was good: its significant bytes, and how many there are. The lengths
//! (two to a byte) come first, with runs of zeros shortened, so that a body at rest costs next to nothing; then the bytes.
//! The first row of a block is predicted as zero, so that every block can be read on its own.

use tumble_dynamics::{BodyState, Clock, State};

/// Numbers of a body in a row: position, orientation, velocity, angular velocity, quiet time.
const OF_BODY: usize = 14;
/// Words before the bodies: time, steps, seed of the random numbers, and the clock by which time is counted.
const GENERAL: usize = 6;
/// How many of them there were before version 3, which had no clock.
const GENERAL_WITHOUT_CLOCK: usize = 3;
/// A bit of the first number of a block: its states have a clock.
const WITH_CLOCK: usize = 1 << 31;
/// The most bodies or joints a block may claim to have.
const MOST: usize = 1_000_000;

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

/// Packs states of one layout.
#[derive(Debug, Default)]
pub(super) struct Packer {
    layout: Layout,
    rows: [Vec<u64>; 3],
    count: u32,
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

    /// How many states it holds.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// How many bytes they take so far.
    pub(super) fn size(&self) -> usize {
        self.lengths.bytes.len() + self.filled
    }

    pub(super) fn push(&mut self, state: &State) {
        let [last, before, row] = &mut self.rows;
        self.layout.row(state, row);
        // Room for the worst case: each word is stored whole, and the next one covers those of its bytes that say nothing.
        let room = self.filled + 8 * row.len();
        if self.bytes.len() < room {
            self.bytes.resize(room + room / 2, 0);
        }
        let (mut end, bytes, lengths) = (self.filled, &mut self.bytes[..room], &mut self.row_lengths);
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
    }

    /// The block begins with how much there is.
    pub(super) fn counts(&self) -> Vec<u8> {
        let clock = if self.layout.clock { WITH_CLOCK } else { 0 };
        let counts = [self.count as usize | clock, self.layout.bodies, self.layout.joints, self.lengths.bytes.len()];
        counts.iter().flat_map(|&count| (count as u32).to_le_bytes()).collect()
    }

    /// Then come lengths and bytes.
    pub(super) fn content(&self) -> [&[u8]; 2] {
        [&self.lengths.bytes, &self.bytes[..self.filled]]
    }

    /// Forgets all states, for the next block.
    pub(super) fn clear(&mut self) {
        let [last, before, _] = &mut self.rows;
        last.fill(0);
        before.fill(0);
        self.lengths = Shortened { bytes: std::mem::take(&mut self.lengths.bytes), counting: false };
        self.lengths.bytes.clear();
        (self.count, self.filled) = (0, 0);
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

/// Reads the states of a block into a list, whose memory is used again; the error says why the block makes no sense.
pub(super) fn unpack(block: &[u8], states: &mut Vec<State>) -> Result<(), &'static str> {
    let word = |at: usize| -> Option<usize> {
        let four = block.get(4 * at..4 * at + 4)?;
        Some(u32::from_le_bytes(four.try_into().ok()?) as usize)
    };
    let short = "a block of frames is too short";
    let [first, bodies, joints, length] = [word(0), word(1), word(2), word(3)]
        .map(|word| word.ok_or(short))
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?[..]
    else {
        return Err(short);
    };
    let count = first & !WITH_CLOCK;
    if bodies > MOST || joints > MOST || count > super::tumble::FRAMES_PER_BLOCK {
        return Err("a block of frames claims too much");
    }
    let layout = Layout { bodies, joints, clock: first & WITH_CLOCK != 0 };
    let rest = &block[16..];
    if length > rest.len() {
        return Err(short);
    }
    let (lengths, mut bytes) = rest.split_at(length);
    let mut lengths = Lengths { bytes: lengths, zeros: 0 };
    let words = layout.words();
    let (mut last, mut before) = (vec![0; words], vec![0; words]);
    states.truncate(count);
    for frame in 0..count {
        let mut pair = 0;
        for (index, (last, before)) in last.iter_mut().zip(&mut before).enumerate() {
            pair = if index % 2 == 0 { lengths.next().ok_or(short)? } else { pair >> 4 };
            let difference = take(&mut bytes, usize::from(pair & 15)).ok_or(short)?;
            let word = difference ^ predict(layout.moves(index), *last, *before);
            *before = if frame == 0 { word } else { *last };
            *last = word;
        }
        if states.len() == frame {
            states.push(State::default());
        }
        layout.read(&last, &mut states[frame]);
    }
    Ok(())
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

    fn block(packer: &Packer) -> Vec<u8> {
        let [lengths, bytes] = packer.content();
        [&packer.counts(), lengths, bytes].concat()
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
        let mut packer = Packer::new(layout);
        packer.push(&state);
        let mut back = Vec::new();
        unpack(&block(&packer), &mut back).unwrap();
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
            states.iter().for_each(|state| packer.push(state));
            let mut back = vec![random_state(&mut random, Layout::new(2, 9)); 3];
            unpack(&block(&packer), &mut back).unwrap();
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
        let mut packer = Packer::new(layout);
        (0..4).for_each(|_| packer.push(&random_state(&mut random, layout)));
        let block = block(&packer);
        for length in 0..block.len() {
            assert!(unpack(&block[..length], &mut Vec::new()).is_err(), "{length}");
        }
        for _ in 0..20_000 {
            let mut damaged = block.clone();
            let at = random.usize(..damaged.len());
            damaged[at] = random.u8(..);
            let _states_or_error = unpack(&damaged, &mut Vec::new());
        }
    }
}
