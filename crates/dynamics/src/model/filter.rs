//! Which pairs of bodies may collide: a small rule engine (G 3.4.3, 3.4.4).
//!
//! A rule has a [`Scope`] (whom it speaks of) and a [`Verdict`] (what it says). Among all rules whose scope covers a pair,
//! one decides:
//!
//! 1. Your callback, if there is one and it has an answer.
//! 2. Exceptions before rules.
//! 3. The specific before the general: a pair of bodies, then a body, then a pair of groups, then a group.
//! 4. Where equals contradict each other, *ignore*.
//! 5. Where no rule covers the pair, the default.
//!
//! The order in which rules were added never matters. An avalanche whose rocks hit the wall but not each other:
//!
//! ```
//! use tumble_dynamics::model::CollisionFilter;
//! let filter = CollisionFilter::new().ignore(("rocks", "rocks"));
//! ```

use crate::{BodyId, Model};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Whether a pair collides. *Ignore* is the smaller, so that it wins where equals contradict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    /// The bodies pass through each other.
    Ignore,
    /// They collide (default).
    #[default]
    Collide,
}

/// Whom a rule speaks of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// Every pair with this body.
    Body(BodyId),
    /// These two bodies.
    Bodies([BodyId; 2]),
    /// Every pair with at least one member of this group.
    Group(String),
    /// Pairs of a member of the one and a member of the other group; twice the same: pairs within the group.
    Groups([String; 2]),
}

impl From<BodyId> for Scope {
    fn from(body: BodyId) -> Self {
        Self::Body(body)
    }
}

impl From<(BodyId, BodyId)> for Scope {
    fn from((a, b): (BodyId, BodyId)) -> Self {
        Self::Bodies([a, b])
    }
}

impl From<&str> for Scope {
    fn from(group: &str) -> Self {
        Self::Group(group.into())
    }
}

impl From<(&str, &str)> for Scope {
    fn from((a, b): (&str, &str)) -> Self {
        Self::Groups([a.into(), b.into()])
    }
}

impl Scope {
    /// Whether it speaks of this pair.
    pub fn covers(&self, model: &Model, [a, b]: [BodyId; 2]) -> bool {
        let member = |body, group| model.bodies().get(body).is_some_and(|body| body.groups.contains(group));
        match self {
            Self::Body(body) => *body == a || *body == b,
            Self::Bodies(pair) => *pair == [a, b] || *pair == [b, a],
            Self::Group(group) => member(a, group) || member(b, group),
            Self::Groups([g, h]) => (member(a, g) && member(b, h)) || (member(a, h) && member(b, g)),
        }
    }
}

/// The order in which rules are asked: exceptions first, the specific before the general. The smallest decides.
pub(super) type Precedence = u8;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Rule {
    pub(super) scope: Scope,
    pub(super) verdict: Verdict,
    exception: bool,
}

impl Rule {
    pub(super) fn precedence(&self) -> Precedence {
        let generality = match self.scope {
            Scope::Bodies(_) => 0,
            Scope::Body(_) => 1,
            Scope::Groups(_) => 2,
            Scope::Group(_) => 3,
        };
        if self.exception { generality } else { 4 + generality }
    }
}

/// A user's decision about a pair; `None` leaves it to the rules. It must give the same answer for the same pair, in
/// either order, until the filter is set anew.
pub type FilterCallback = dyn Fn(&Model, [BodyId; 2]) -> Option<bool> + Send + Sync;

/// Which pairs of bodies may collide. Default: all. See the [module](self) for which rule decides; set it with
/// [`World::set_filter`](crate::World::set_filter).
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct CollisionFilter {
    pub(super) rules: Vec<Rule>,
    pub(super) default: Verdict,
    #[serde(skip)]
    pub(super) callback: Option<Arc<FilterCallback>>,
}

impl std::fmt::Debug for CollisionFilter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CollisionFilter")
            .field("rules", &self.rules)
            .field("default", &self.default)
            .field("callback", &self.callback.is_some())
            .finish()
    }
}

impl CollisionFilter {
    /// A filter that lets everything collide.
    pub fn new() -> Self {
        Self::default()
    }

    /// A rule: these pairs do not collide.
    pub fn ignore(self, scope: impl Into<Scope>) -> Self {
        self.with(scope.into(), Verdict::Ignore, false)
    }

    /// A rule: these pairs collide.
    pub fn collide(self, scope: impl Into<Scope>) -> Self {
        self.with(scope.into(), Verdict::Collide, false)
    }

    /// An exception: these pairs do not collide, whatever the rules say.
    pub fn except_ignore(self, scope: impl Into<Scope>) -> Self {
        self.with(scope.into(), Verdict::Ignore, true)
    }

    /// An exception: these pairs collide, whatever the rules say.
    pub fn except_collide(self, scope: impl Into<Scope>) -> Self {
        self.with(scope.into(), Verdict::Collide, true)
    }

    /// What holds for pairs that no rule covers. Default: they collide.
    pub fn otherwise(mut self, verdict: Verdict) -> Self {
        self.default = verdict;
        self
    }

    /// Whether somebody is asked first.
    pub fn asks(&self) -> bool {
        self.callback.is_some()
    }

    /// Asks you first, about each pair whose boxes come near each other. Default: nobody is asked.
    pub fn asking(mut self, callback: impl Fn(&Model, [BodyId; 2]) -> Option<bool> + Send + Sync + 'static) -> Self {
        self.callback = Some(Arc::new(callback));
        self
    }

    fn with(mut self, scope: Scope, verdict: Verdict, exception: bool) -> Self {
        self.rules.push(Rule { scope, verdict, exception });
        self
    }

    /// Whether two bodies of a model may collide. The filter a model holds is compiled: ask
    /// [`Model::may_collide`], which gives the same answer faster.
    pub fn allows(&self, model: &Model, bodies: [BodyId; 2]) -> bool {
        let asked = self.callback.as_ref().and_then(|ask| ask(model, bodies));
        asked.unwrap_or_else(|| {
            let covering = self.rules.iter().filter(|rule| rule.scope.covers(model, bodies));
            let decisive = covering.map(|rule| (rule.precedence(), rule.verdict)).min();
            decisive.map_or(self.default, |(_, verdict)| verdict) == Verdict::Collide
        })
    }
}
