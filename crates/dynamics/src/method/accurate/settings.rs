//! The settings of the accurate method: one tolerance, and the pieces by name.

use super::scheme::Scheme;
#[cfg(feature = "registry")]
use crate::ModelError;
#[cfg(feature = "registry")]
use crate::method::{Accurate, Method};
#[cfg(feature = "registry")]
use crate::registry::{DescribeMethod, Registry};
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};

/// For numbers that must be right: follows a tolerance and takes whatever is not smooth (impacts, sliding that stops, limits) at its own
/// moment. Slower than the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AccurateSettings {
    /// The error that a step may make, relative to the sizes and speeds of the scene; everything else follows from it: how close is
    /// touching, how slow is resting. Default 1e-8.
    #[schemars(range(min = 1e-14, max = 1e-2))]
    pub tolerance: f64,
    /// Whose way: the best there is, or Kleppmann's. Default "best".
    pub style: Style,
    /// Which method integrates; `null` for what the style says: DOP853, or Cash and Karp's. Default `null`.
    pub scheme: Option<Scheme>,
    /// What keeps joints closed; `null` for what the style says: projection, or feedback. Default `null`.
    pub drift: Option<Drift>,
    /// How it is found out who presses; `null` for what the style says: the cone solver, or dropping. Default `null`.
    pub modes: Option<ModeChoice>,
    /// How the moment of an event is found; `null` for what the style says: a bracketing method, or Newton's. Default `null`.
    pub search: Option<Search>,
    /// How the forces of joints are found; `null` for what the style says: elimination, or biconjugate gradients. Default `null`.
    pub joint_solver: Option<LinearSolver>,
    /// Between what gaps are measured; `null` for what the style says: features, or a fitted plane. Default `null`.
    pub contact_plane: Option<ContactPlane>,
    /// How surfaces that hit each other part. Default "energetic".
    pub impact_law: ImpactLaw,
    /// Below about this sliding speed s, in m/s, friction is weaker than Coulomb's: μ N v/√(v² + s²), as models in the literature smooth it.
    /// Then nothing holds, it only slides more slowly. `null` for Coulomb's law. Default `null`.
    #[schemars(extend("unit" = "m/s"))]
    pub friction_smoothing: Option<f64>,
    /// No step of the integration is longer than this, in seconds; `null` for as long as the tolerance allows. Default `null`.
    #[schemars(extend("unit" = "s"))]
    pub max_step: Option<f64>,
    /// Whether a second run with ten times the tolerance goes along, to tell the error since the start, or since the world was last
    /// changed by hand. It costs about as much again. Default false.
    pub error_estimate: bool,
    /// How many events (impacts, surfaces that part, slide or hold) within a step of the world are followed one by one; beyond, the
    /// rest of the step is taken in small steps of the retroactive method, and told as a storm. Default 2000.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_events: u32,
    /// How many thousands of millions of operations a simulated second with events may take; each is about a second of computing. Beyond that a
    /// stretch is taken in small steps of the retroactive method, and told as a storm. Default 10.
    #[schemars(range(min = 0.01, max = 1e9))]
    pub patience: f64,
}

impl Default for AccurateSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            style: Style::Best,
            scheme: None,
            drift: None,
            modes: None,
            search: None,
            joint_solver: None,
            contact_plane: None,
            impact_law: ImpactLaw::Energetic,
            friction_smoothing: None,
            max_step: None,
            error_estimate: false,
            max_events: 2000,
            patience: 10.0,
        }
    }
}

impl AccurateSettings {
    pub(super) fn chosen_scheme(&self) -> Scheme {
        self.scheme.unwrap_or(match self.style {
            Style::Best => Scheme::Dop853,
            Style::Kleppmann => Scheme::CashKarp,
        })
    }

    pub(super) fn chosen_drift(&self) -> Drift {
        self.drift.unwrap_or(match self.style {
            Style::Best => Drift::Projection,
            Style::Kleppmann => Drift::Feedback { k: 100.0, d: 20.0 },
        })
    }

    pub(super) fn chosen_modes(&self) -> ModeChoice {
        self.modes.unwrap_or(match self.style {
            Style::Best => ModeChoice::Cone,
            Style::Kleppmann => ModeChoice::Dropping,
        })
    }

    pub(super) fn chosen_search(&self) -> Search {
        self.search.unwrap_or(match self.style {
            Style::Best => Search::Bracket,
            Style::Kleppmann => Search::Newton,
        })
    }

    pub(super) fn chosen_solver(&self) -> LinearSolver {
        self.joint_solver.unwrap_or(match self.style {
            Style::Best => LinearSolver::Elimination,
            Style::Kleppmann => LinearSolver::BiconjugateGradients,
        })
    }

    pub(super) fn chosen_plane(&self) -> ContactPlane {
        self.contact_plane.unwrap_or(match self.style {
            Style::Best => ContactPlane::Features,
            Style::Kleppmann => ContactPlane::Fitted,
        })
    }
}

/// Whose way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// DOP853, projection after every step, the cone solver, brackets, elimination, gaps of features (default).
    #[default]
    Best,
    /// As in K: Cash and Karp's method, joints kept closed by feedback of their errors, contacts that would pull dropped, moments of
    /// contact by Newton's method, forces of joints by biconjugate gradients, contacts with a fitted plane. Each piece can be chosen by
    /// itself.
    Kleppmann,
}

/// How it is found out which contacts press.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModeChoice {
    /// Where the first guess is impossible, a complementarity problem with exact friction cones is solved (default).
    #[default]
    Cone,
    /// K 3.6: everything presses; what would pull is dropped, and the rest is solved again, until nothing pulls. Where there is
    /// friction the cone solver has the last word.
    Dropping,
}

/// How the moment of an event is found on the dense output of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Search {
    /// Regula falsi within a bracket (default).
    #[default]
    Bracket,
    /// K 3.2.2: Newton's method with the rate of the gap; bisection where that leaves the bracket or does not get on.
    Newton,
}

/// How the forces of joints are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinearSolver {
    /// Sparse elimination, linear in the number of joints of a tree (default).
    #[default]
    Elimination,
    /// K 2.6: biconjugate gradients, beginning with the forces of the moment before; the best guess on the way counts.
    BiconjugateGradients,
}

/// Between what the gap of a contact is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContactPlane {
    /// Between the corners, edges, faces and curves that touch: exact (default).
    #[default]
    Features,
    /// Between points of one body and a plane of the other, fitted to all points of the contact (least squares).
    Fitted,
}

/// What keeps joints closed, though the integration only knows that they do not accelerate apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Drift {
    /// After every step, positions and velocities are put back by the shortest way in the metric of the masses (default).
    #[default]
    Projection,
    /// `c̈ = −k c − d ċ` instead of `c̈ = 0` (K 2.13; Baumgarte).
    Feedback {
        /// In 1/s².
        k: f64,
        /// In 1/s.
        d: f64,
    },
    /// Nothing: errors of joints add up.
    Nothing,
}

/// How surfaces that hit each other part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImpactLaw {
    /// Newton's: they part with the part e of the speed at which they met. With friction it can create energy, which is then taken
    /// out again by a smaller e.
    Newton,
    /// Poisson's: the impulse while they part is the part e of that while they come together.
    Poisson,
    /// Stronge's: the work while they part is the part e² of that while they come together (default).
    #[default]
    #[serde(alias = "stronge")]
    Energetic,
}

#[cfg(feature = "registry")]
impl DescribeMethod for AccurateSettings {
    fn build(&self, _registry: &Registry) -> Result<Box<dyn Method>, ModelError> {
        Ok(Box::new(Accurate::new().with_settings(*self)?))
    }

    fn configure(&self, method: &mut dyn Method, _registry: &Registry) -> Result<(), ModelError> {
        let name = method.name();
        let other = || ModelError::Invalid(format!("the settings of \"accurate\" do not fit the method \"{name}\""));
        let method = (method as &mut dyn std::any::Any).downcast_mut::<Accurate>().ok_or_else(other)?;
        method.set_settings(*self)
    }

    fn properties_of(&self, method: &dyn Method, _registry: &Registry) -> Option<serde_json::Value> {
        let method = (method as &dyn std::any::Any).downcast_ref::<Accurate>()?;
        serde_json::to_value(method.settings()).ok()
    }
}
