//! The collision filter compiled: the rules on groups as bit masks, those on bodies as sorted maps.
//!
//! Only groups that a rule mentions get a bit. Rules on groups of the same precedence and verdict are merged into one
//! [`GroupTest`]; the tests are sorted, so the first that fires is the one that decides. It is compiled when the filter is
//! set; a new body only adds its own mask.

use super::filter::{CollisionFilter, Precedence, Rule, Scope, Verdict};
use crate::{BodyId, Id, Model};
use std::collections::BTreeMap;

/// A set of groups by number: bit `n mod 64` of word `n div 64`. Words at the end may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
struct Groups(Vec<u64>);

impl Groups {
    fn insert(&mut self, number: usize) {
        self.0.resize(self.0.len().max(number / 64 + 1), 0);
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn numbers(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(word, &bits)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                let number = (rest != 0).then(|| 64 * word + rest.trailing_zeros() as usize);
                rest &= rest.wrapping_sub(1);
                number
            })
        })
    }
}

/// All rules on groups with one precedence and verdict.
#[derive(Clone, Debug, Default)]
struct GroupTest {
    /// It fires if either body is in one of these.
    any: Groups,
    /// By number of a group: it fires if one body is in that group and the other in one of these.
    partners: Vec<Groups>,
}

impl GroupTest {
    fn fires(&self, a: &Groups, b: &Groups) -> bool {
        let partner = |number: usize| self.partners.get(number).is_some_and(|partners| partners.meets(b));
        self.any.meets(a) || self.any.meets(b) || (!self.partners.is_empty() && a.numbers().any(partner))
    }
}

/// What decides: the smallest.
type Decision = (Precedence, Verdict);

/// A filter compiled for a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilterMasks {
    numbers: BTreeMap<String, usize>,
    bodies: BTreeMap<BodyId, Decision>,
    /// The smaller id first.
    pairs: BTreeMap<[BodyId; 2], Decision>,
    groups: BTreeMap<Decision, GroupTest>,
    /// By slot of the body.
    memberships: Vec<Groups>,
    default: Verdict,
}

impl FilterMasks {
    pub(crate) fn new(filter: &CollisionFilter, model: &Model) -> Self {
        let mut masks = Self { default: filter.default, ..Self::default() };
        for rule in &filter.rules {
            masks.add_rule(rule);
        }
        for (id, body) in model.bodies().iter() {
            masks.add_body(id, &body.groups);
        }
        masks
    }

    /// Notes the groups of a new body.
    pub(crate) fn add_body(&mut self, id: BodyId, groups: &[String]) {
        let mut mask = Groups::default();
        groups.iter().filter_map(|group| self.numbers.get(group)).for_each(|&number| mask.insert(number));
        self.memberships.resize(self.memberships.len().max(id.slot() + 1), Groups::default());
        self.memberships[id.slot()] = mask;
    }

    fn add_rule(&mut self, rule: &Rule) {
        let decision = (rule.precedence(), rule.verdict);
        let keep_smallest = |known: &mut Decision| *known = decision.min(*known);
        match &rule.scope {
            Scope::Body(body) => {
                self.bodies.entry(*body).and_modify(keep_smallest).or_insert(decision);
            }
            Scope::Bodies([a, b]) => {
                self.pairs.entry([*a.min(b), *a.max(b)]).and_modify(keep_smallest).or_insert(decision);
            }
            Scope::Group(group) => {
                let number = self.number(group);
                self.groups.entry(decision).or_default().any.insert(number);
            }
            Scope::Groups([g, h]) => {
                let (g, h) = (self.number(g), self.number(h));
                let partners = &mut self.groups.entry(decision).or_default().partners;
                partners.resize(partners.len().max(g.max(h) + 1), Groups::default());
                partners[g].insert(h);
                partners[h].insert(g);
            }
        }
    }

    fn number(&mut self, group: &str) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(group.to_owned()).or_insert(next)
    }

    /// What the rules say about a pair.
    pub(crate) fn allow(&self, [a, b]: [BodyId; 2]) -> bool {
        let by_pair = self.pairs.get(&[a.min(b), a.max(b)]);
        let by_body = [a, b].into_iter().filter_map(|body| self.bodies.get(&body)).min();
        let by_group = match [a, b].map(|id| self.memberships.get(id.slot())) {
            [Some(a), Some(b)] => self.groups.iter().find(|(_, test)| test.fires(a, b)).map(|(decision, _)| decision),
            _ => None,
        };
        let decisive = [by_pair, by_body, by_group].into_iter().flatten().min();
        decisive.map_or(self.default, |&(_, verdict)| verdict) == Verdict::Collide
    }
}
