//! Goals: what is to happen in a scene, in words, and how far a run is from it.
//!
//! ```text
//! ball in basket
//! first/body touches second/body then first/body touches third/body
//! ball.y > 2 and ball.speed < 0.1
//! ```
//!
//! A goal is a row of stages, divided by `then`; a stage is one or more conditions, divided by `and`, that hold at the same moment.
//! Each condition has a *gap*, which is zero when it holds and else says by how much it does not: the distance of two bodies, how far
//! a centre is from the inside of another body, the difference of two numbers. The gap of a stage is the sum.
//!
//! So that a search knows which of two failures was the better one, a run that missed its goal has a *cost*,
//!
//! ```text
//! (stages left − 1) + g/(1 + g),
//! ```
//!
//! with g the smallest gap of the first stage that was not reached; a run that reached all has the cost 0.

use crate::Scene;
use crate::nearest::suggestion;
use tumble_dynamics::{BodyId, ColliderId, World};
use tumble_geometry::query;

/// The most stages and conditions of a goal.
const MOST: usize = 100;

/// What is to happen.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    stages: Vec<Vec<Condition>>,
}

#[derive(Clone, Debug, PartialEq)]
enum Condition {
    /// Two bodies touch.
    Touches(BodyId, BodyId),
    /// The centre of mass of the first lies inside the second.
    In(BodyId, BodyId),
    /// A quantity of a body is less (or more) than a number.
    Less {
        body: BodyId,
        quantity: Quantity,
        than: f64,
    },
    More {
        body: BodyId,
        quantity: Quantity,
        than: f64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    X,
    Y,
    Z,
    Speed,
    Spin,
}

/// What quantities are called.
const QUANTITIES: [(&str, Quantity); 5] =
    [("x", Quantity::X), ("y", Quantity::Y), ("z", Quantity::Z), ("speed", Quantity::Speed), ("spin", Quantity::Spin)];

impl Goal {
    /// Reads a goal about the bodies of a scene.
    pub fn read(text: &str, scene: &Scene) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let stages = words
            .split(|&word| word == "then")
            .map(|stage| stage.split(|&word| word == "and").map(|words| condition(words, scene)).collect())
            .collect::<Result<Vec<Vec<Condition>>, String>>()?;
        if stages.iter().map(Vec::len).sum::<usize>() > MOST {
            return Err(format!("a goal has at most {MOST} conditions"));
        }
        Ok(Self { stages })
    }

    /// How many stages there are.
    pub fn stages(&self) -> usize {
        self.stages.len()
    }
}

fn condition(words: &[&str], scene: &Scene) -> Result<Condition, String> {
    const FORM: &str = "`A touches B`, `A in B`, `A.x < 3` or `A.speed > 3` (x, y, z, speed or spin)";
    let body = |name: &str| {
        scene.body_named(name).ok_or_else(|| {
            let names: Vec<&str> = scene.world.bodies().map(|(_, body)| body.model().name.as_str()).collect();
            format!("there is no body \"{name}\"; {}", suggestion(name, names.into_iter()))
        })
    };
    match words {
        [first, "touches", second] => Ok(Condition::Touches(body(first)?, body(second)?)),
        [first, "in", second] => Ok(Condition::In(body(first)?, body(second)?)),
        [what, sign @ ("<" | ">"), number] => {
            let (name, quantity) = what.rsplit_once('.').ok_or_else(|| format!("`{what}`: expected {FORM}"))?;
            let quantity = QUANTITIES.iter().find(|(known, _)| *known == quantity).map(|(_, quantity)| *quantity);
            let quantity = quantity.ok_or_else(|| format!("`{what}`: expected {FORM}"))?;
            let than = number.parse().ok().filter(|number: &f64| number.is_finite());
            let than = than.ok_or_else(|| format!("`{number}` is not a number"))?;
            let body = body(name)?;
            Ok(if *sign == "<" {
                Condition::Less { body, quantity, than }
            } else {
                Condition::More { body, quantity, than }
            })
        }
        _ => Err(format!("`{}`: expected {FORM}", words.join(" "))),
    }
}

impl Condition {
    /// By how much it does not hold; zero if it does.
    fn gap(&self, world: &World) -> f64 {
        match *self {
            Self::Touches(first, second) => {
                if world.contacts_of(first).any(|contact| contact.bodies.contains(&second)) {
                    return 0.0;
                }
                distance(world, first, second)
            }
            Self::In(inner, outer) => {
                let Ok(inner) = world.body(inner) else { return f64::INFINITY };
                let center = inner.center_of_mass();
                colliders(world, outer).into_iter().fold(f64::INFINITY, |nearest, id| {
                    let (Ok(collider), Some(pose)) = (world.collider(id), world.collider_pose(id)) else {
                        return nearest;
                    };
                    let shape = &collider.model().shape;
                    let point = pose.inverse_point(center);
                    let away = match shape.contains_point(point) {
                        true => 0.0,
                        false => shape.closest_point(point).map_or(f64::INFINITY, |found| found.distance.abs()),
                    };
                    nearest.min(away)
                })
            }
            Self::Less { body, quantity, than } => (value(world, body, quantity) - than).max(0.0),
            Self::More { body, quantity, than } => (than - value(world, body, quantity)).max(0.0),
        }
    }
}

fn colliders(world: &World, body: BodyId) -> Vec<ColliderId> {
    world.body(body).map_or_else(|_| Vec::new(), |body| body.model().colliders.clone())
}

/// How far two bodies are apart.
fn distance(world: &World, first: BodyId, second: BodyId) -> f64 {
    let mut nearest = f64::INFINITY;
    for a in colliders(world, first) {
        for b in colliders(world, second) {
            let (Ok(a_ref), Ok(b_ref)) = (world.collider(a), world.collider(b)) else { continue };
            let (Some(at_a), Some(at_b)) = (world.collider_pose(a), world.collider_pose(b)) else { continue };
            let apart = query::distance(&a_ref.model().shape, &b_ref.model().shape, &at_a.to_local(&at_b));
            nearest = nearest.min(apart.distance);
        }
    }
    nearest
}

fn value(world: &World, body: BodyId, quantity: Quantity) -> f64 {
    let Ok(body) = world.body(body) else { return f64::NAN };
    match quantity {
        Quantity::X => body.position().x,
        Quantity::Y => body.position().y,
        Quantity::Z => body.position().z,
        Quantity::Speed => body.velocity().length(),
        Quantity::Spin => body.angular_velocity().length(),
    }
}

/// How far a run has come.
#[derive(Clone, Debug)]
pub struct Watch<'a> {
    goal: &'a Goal,
    /// How many stages were reached.
    reached: usize,
    /// The smallest gap of the next one so far.
    gap: f64,
    /// When the last stage was reached, in seconds.
    time: f64,
}

impl<'a> Watch<'a> {
    /// At the beginning of a run.
    pub fn new(goal: &'a Goal) -> Self {
        Self { goal, reached: 0, gap: f64::INFINITY, time: 0.0 }
    }

    /// Looks at the world: to be called at the beginning and after every step.
    pub fn look(&mut self, world: &World) {
        while let Some(stage) = self.goal.stages.get(self.reached) {
            let gap: f64 = stage.iter().map(|condition| condition.gap(world)).sum();
            if gap > 0.0 || gap.is_nan() {
                self.gap = self.gap.min(gap);
                return;
            }
            (self.reached, self.gap, self.time) = (self.reached + 1, f64::INFINITY, world.time());
        }
    }

    /// Whether all stages were reached.
    pub fn is_done(&self) -> bool {
        self.reached == self.goal.stages.len()
    }

    /// How many stages were reached.
    pub fn reached(&self) -> usize {
        self.reached
    }

    /// When the last of those that were reached was reached, in seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// By how much the next stage was missed; zero if there is none.
    pub fn gap(&self) -> f64 {
        if self.is_done() { 0.0 } else { self.gap }
    }

    /// What a search makes as small as it can: zero if the goal was reached.
    pub fn cost(&self) -> f64 {
        if self.is_done() {
            return 0.0;
        }
        let left = (self.goal.stages.len() - self.reached) as f64;
        let part = if self.gap.is_finite() { self.gap / (1.0 + self.gap) } else { 1.0 };
        left - 1.0 + part
    }
}
