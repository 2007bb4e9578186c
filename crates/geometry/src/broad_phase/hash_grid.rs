//! Hash grid: space divided into cubes of equal size, and a hash table that knows which are taken.
//!
//! A box lies in the cell of its smallest corner and is at most as long as a cell, so it reaches into the
//! next cell at most; a search looks at the cells from one before its region to the end of its region. Moves within a
//! cell cost nothing. Boxes longer than a cell (and those more than 2³⁰ cells from the origin) are kept in a list that
//! every search goes through.
//!
//! Unless it is given, the cell size is one and a half times the length that nine tenths of the boxes do not exceed (their
//! longest edges; between 10⁻⁹ and 10⁹ metres). It is chosen anew when the number of boxes has doubled, and in a rebuild.
//!
//! Cells that were left stay in the table, empty, until most are; or, if one wants, they are cleared away at regular intervals.
//!
//! A ray is followed slab by slab along its main direction. A search that would look up more cells than there are looks at
//! all there are instead, so that no search is worse than comparing all boxes.

use super::probe::Probe;
use super::proxies::Proxies;
use super::space::{Space, SpatialIndex};
use crate::Aabb;
use crate::error::GeometryError;
use glam::{DVec3, I64Vec3};
use std::num::NonZeroU32;

/// A broad phase with a hash grid: queries and updates in constant time for each box found when boxes are of similar size.
pub type HashGrid = Space<Grid>;

const NONE: u32 = u32::MAX;
/// In `Entry::cell`: in the list of large boxes.
const LARGE: u32 = u32::MAX - 1;
/// The outermost cells.
const EDGE: f64 = (1 << 30) as f64;

/// The index of [`HashGrid`].
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Grid {
    /// The cell size a user wants.
    given: Option<f64>,
    /// The edge of a cell in metres; zero while there is none.
    size: f64,
    /// Open addressing with linear probing: indices of cells. The length is a power of two.
    table: Vec<u32>,
    /// All cells that were taken since the last rebuild, in the order of their first use.
    cells: Vec<Cell>,
    /// For each proxy id, where it is.
    entries: Vec<Entry>,
    large: Vec<u32>,
    /// The smallest and the largest coordinates of cells.
    low: I64Vec3,
    high: I64Vec3,
    /// How many more insertions until the cell size is chosen anew.
    patience: usize,
    /// After how many updates empty cells are cleared away, and how many there were since.
    clean_up: Option<NonZeroU32>,
    age: u32,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Cell {
    key: I64Vec3,
    /// The first proxy in it.
    first: u32,
}

/// A proxy's place: a member of the doubly linked list of a cell, or a position in the list of large boxes.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Entry {
    cell: u32,
    next: u32,
    /// The member before, or the position in the list of large boxes.
    previous: u32,
}

fn hash(key: I64Vec3) -> usize {
    let mix = (key.x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (key.y as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
        ^ (key.z as u64).wrapping_mul(0x1656_67B1_9E37_79F9);
    ((mix ^ (mix >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32) as usize
}

impl Grid {
    /// A grid with cells of a given size in metres.
    pub fn with_cell_size(size: f64) -> Result<Self, GeometryError> {
        let size = crate::error::checked_length("cell size", size)?;
        Ok(Self { given: Some(size), size, ..Self::default() })
    }

    /// Empty cells are cleared away after every so many updates. Without this they go when most cells are empty.
    pub fn with_clean_up(self, updates: NonZeroU32) -> Self {
        Self { clean_up: Some(updates), ..self }
    }

    /// After how many updates empty cells are cleared away; `None` if they go when most cells are empty.
    pub fn clean_up(&self) -> Option<NonZeroU32> {
        self.clean_up
    }

    /// The edge that cells were to have, in metres; `None` if it is left to the grid.
    pub fn given_cell_size(&self) -> Option<f64> {
        self.given
    }

    /// The edge of the cells in metres; `None` before the first box.
    pub fn cell_size(&self) -> Option<f64> {
        (self.size > 0.0).then_some(self.size)
    }

    fn choose_size(&mut self, proxies: &Proxies) {
        let mut edges: Vec<f64> = proxies.occupied().map(|id| proxies.fat(id).extents().max_element()).collect();
        if edges.is_empty() {
            return;
        }
        self.size = self.given.unwrap_or_else(|| {
            let rank = (edges.len() - 1) * 9 / 10;
            (1.5 * *edges.select_nth_unstable_by(rank, f64::total_cmp).1).clamp(1e-9, 1e9)
        });
    }

    /// The cell of a point, or the outermost one in its direction.
    fn key(&self, point: DVec3) -> I64Vec3 {
        // In this order NaN would become a number, though no caller has one.
        (point / self.size).floor().max(DVec3::splat(-EDGE)).min(DVec3::splat(EDGE)).as_i64vec3()
    }

    /// The cell of a box, unless it is large.
    fn home(&self, fat: &Aabb) -> Option<I64Vec3> {
        let small = fat.extents().max_element() <= self.size && (fat.min / self.size).abs().max_element() < EDGE;
        small.then(|| self.key(fat.min))
    }

    /// Where the cell is in the table, or would be.
    fn slot(&self, key: I64Vec3) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = hash(key) & mask;
        while self.table[slot] != NONE && self.cells[self.table[slot] as usize].key != key {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn cell(&self, key: I64Vec3) -> Option<&Cell> {
        if self.table.is_empty() {
            return None;
        }
        self.cells.get(self.table[self.slot(key)] as usize)
    }

    /// The index of a cell, made if need be.
    fn cell_or_new(&mut self, key: I64Vec3) -> u32 {
        if self.cells.len() * 2 >= self.table.len() {
            self.table = vec![NONE; (self.table.len() * 2).max(16)];
            for cell in 0..self.cells.len() {
                let slot = self.slot(self.cells[cell].key);
                self.table[slot] = cell as u32;
            }
        }
        let slot = self.slot(key);
        if self.table[slot] == NONE {
            (self.low, self.high) = match self.cells.is_empty() {
                true => (key, key),
                false => (self.low.min(key), self.high.max(key)),
            };
            self.table[slot] = self.cells.len() as u32;
            self.cells.push(Cell { key, first: NONE });
        }
        self.table[slot]
    }

    fn add(&mut self, id: u32, fat: &Aabb) {
        if self.entries.len() <= id as usize {
            self.entries.resize(id as usize + 1, Entry { cell: NONE, next: NONE, previous: NONE });
        }
        self.entries[id as usize] = match self.home(fat) {
            Some(key) => {
                let cell = self.cell_or_new(key);
                let next = std::mem::replace(&mut self.cells[cell as usize].first, id);
                if next != NONE {
                    self.entries[next as usize].previous = id;
                }
                Entry { cell, next, previous: NONE }
            }
            None => {
                self.large.push(id);
                Entry { cell: LARGE, next: NONE, previous: self.large.len() as u32 - 1 }
            }
        };
    }

    /// Visits a list of proxies; `false` once the limit is negative.
    fn visit_cell(&self, cell: &Cell, limit: &mut f64, visit: &mut impl FnMut(u32) -> f64) -> bool {
        let mut id = cell.first;
        while id != NONE && *limit >= 0.0 {
            *limit = visit(id);
            id = self.entries[id as usize].next;
        }
        *limit >= 0.0
    }

    /// The cells whose boxes can overlap `region`, within the cells there are.
    fn range(&self, region: &Aabb) -> (I64Vec3, I64Vec3) {
        // Slightly more than one cell down: edges are rounded before they are compared with the cell size.
        let low = self.key(region.min - DVec3::splat(self.size * (1.0 + 1e-12)));
        (low.max(self.low), self.key(region.max).min(self.high))
    }

    /// The cells with a coordinate of `slab` along `axis` in which there may be boxes within `limit`.
    fn range_in_slab<P: Probe>(&self, probe: &P, limit: f64, axis: usize, slab: i64) -> (I64Vec3, I64Vec3) {
        // The boxes of these cells end at most two cells up; the thousandths cover the rounding of the planes.
        let (from, to) = ((slab as f64 - 0.001) * self.size, (slab as f64 + 2.001) * self.size);
        let (mut low, mut high) = self.range(&probe.bounds_between(limit, axis, from, to));
        (low[axis], high[axis]) = (slab, slab);
        (low, high)
    }
}

/// How many cells there are from one to the other.
fn cell_count((low, high): (I64Vec3, I64Vec3)) -> f64 {
    (high - low + I64Vec3::ONE).max(I64Vec3::ZERO).as_dvec3().element_product()
}

impl SpatialIndex for Grid {
    const NAME: &'static str = "hash grid";

    fn insert(&mut self, proxies: &Proxies, id: u32) {
        if self.patience == 0 {
            self.rebuild(proxies);
        } else {
            self.patience -= 1;
            self.add(id, proxies.fat(id));
        }
    }

    fn remove(&mut self, _proxies: &Proxies, id: u32, _fat: &Aabb) {
        let none = Entry { cell: NONE, next: NONE, previous: NONE };
        let entry = std::mem::replace(&mut self.entries[id as usize], none);
        if entry.cell == LARGE {
            self.large.swap_remove(entry.previous as usize);
            if let Some(&last) = self.large.get(entry.previous as usize) {
                self.entries[last as usize].previous = entry.previous;
            }
            return;
        }
        if entry.next != NONE {
            self.entries[entry.next as usize].previous = entry.previous;
        }
        match entry.previous {
            NONE => self.cells[entry.cell as usize].first = entry.next,
            previous => self.entries[previous as usize].next = entry.next,
        }
    }

    fn relocate(&mut self, proxies: &Proxies, id: u32, old: &Aabb) {
        if self.home(old) != self.home(proxies.fat(id)) {
            self.remove(proxies, id, old);
            if self.cells.len() > 2 * proxies.len() + 64 {
                // Most cells have been left.
                self.rebuild(proxies);
            } else {
                self.add(id, proxies.fat(id));
            }
        }
    }

    fn rebuild(&mut self, proxies: &Proxies) {
        self.choose_size(proxies);
        self.table.clear();
        self.cells.clear();
        self.entries.clear();
        self.large.clear();
        self.patience = proxies.len() + 64;
        for id in proxies.occupied() {
            self.add(id, proxies.fat(id));
        }
    }

    fn maintain(&mut self, proxies: &Proxies) {
        let Some(interval) = self.clean_up else { return };
        self.age += 1;
        if self.age >= interval.get() {
            self.age = 0;
            if self.cells.iter().any(|cell| cell.first == NONE) {
                self.rebuild(proxies);
            }
        }
    }

    fn search<P: Probe>(&self, _proxies: &Proxies, probe: &P, mut limit: f64, visit: &mut impl FnMut(u32) -> f64) {
        for &id in &self.large {
            if limit < 0.0 {
                return;
            }
            limit = visit(id);
        }
        if limit < 0.0 || self.cells.is_empty() {
            return;
        }
        let (low, high) = self.range(&probe.bounds(limit));
        let heading = probe.heading();
        let axis = heading.abs().max_position();
        let slabs = || low[axis]..=high[axis];
        let slab_count = (high[axis] - low[axis] + 1).max(0);
        let look_ups = || slabs().map(|slab| cell_count(self.range_in_slab(probe, limit, axis, slab))).sum::<f64>();
        if slab_count > self.cells.len() as i64 || look_ups() > self.cells.len() as f64 {
            for cell in &self.cells {
                let corner = cell.key.as_dvec3();
                let around = Aabb::new((corner - 0.001) * self.size, (corner + 2.001) * self.size);
                if probe.reach(&around) <= limit && !self.visit_cell(cell, &mut limit, visit) {
                    return;
                }
            }
            return;
        }
        for step in 0..slab_count {
            let slab = if heading[axis] < 0.0 { high[axis] - step } else { low[axis] + step };
            let (low, high) = self.range_in_slab(probe, limit, axis, slab);
            for x in low.x..=high.x {
                for y in low.y..=high.y {
                    for z in low.z..=high.z {
                        if let Some(cell) = self.cell(I64Vec3::new(x, y, z))
                            && !self.visit_cell(cell, &mut limit, visit)
                        {
                            return;
                        }
                    }
                }
            }
        }
    }

    fn boxes(&self, proxies: &Proxies, visit: &mut dyn FnMut(Aabb)) {
        for cell in self.cells.iter().filter(|cell| cell.first != NONE) {
            let corner = cell.key.as_dvec3() * self.size;
            visit(Aabb::new(corner, corner + DVec3::splat(self.size)));
        }
        self.large.iter().for_each(|&id| visit(*proxies.fat(id)));
    }

    fn validate(&self, proxies: &Proxies) -> Result<(), String> {
        let mut known = vec![false; proxies.id_bound()];
        let mut meet = |id: u32, home: Option<I64Vec3>, entry: &Entry, expected: Entry| {
            let same = (entry.cell, entry.previous) == (expected.cell, expected.previous);
            let sound = proxies.is_in_structure(id) && same && self.home(proxies.fat(id)) == home;
            let new = sound && !std::mem::replace(&mut known[id as usize], true);
            if new { Ok(()) } else { Err(format!("proxy {id} is misplaced: {entry:?} in {home:?}")) }
        };
        let entry_of = |id: u32| self.entries.get(id as usize).ok_or_else(|| format!("proxy {id} has no entry"));
        for (position, &id) in self.large.iter().enumerate() {
            meet(id, None, entry_of(id)?, Entry { cell: LARGE, next: NONE, previous: position as u32 })?;
        }
        for (index, cell) in self.cells.iter().enumerate() {
            if self.table.get(self.slot(cell.key)) != Some(&(index as u32)) {
                return Err(format!("cell {} is not in the table", cell.key));
            }
            let (mut id, mut previous) = (cell.first, NONE);
            while id != NONE {
                let entry = entry_of(id)?;
                meet(id, Some(cell.key), entry, Entry { cell: index as u32, next: NONE, previous })?;
                (previous, id) = (id, entry.next);
            }
        }
        match proxies.occupied().find(|&id| !known[id as usize]) {
            Some(id) => Err(format!("proxy {id} is in no cell")),
            None => Ok(()),
        }
    }
}
