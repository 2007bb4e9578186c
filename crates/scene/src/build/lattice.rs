//! Lattices: particles and the rods between them.

use super::body::parse_color;
use super::{Builder, Reported};
use crate::format::LatticeFile;
use crate::tree::Entry;
use glam::DVec3;
use tumble_dynamics::constraint::{Distance, Softness};
use tumble_dynamics::force::Spring;
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, Id};
use tumble_geometry::{Shape, Transform};

impl Builder<'_, '_> {
    /// Adds all lattices.
    pub(super) fn add_lattices(&mut self) {
        for entry in self.context.root.section("lattices") {
            if let Err(Reported) = self.add_lattice(entry) {
                self.refused.insert(entry.key.clone());
                self.may_be_in_any_group = true;
            }
        }
    }

    fn add_lattice(&mut self, entry: &Entry) -> Result<(), Reported> {
        let (name, span) = (&entry.key, entry.key_span);
        let file: LatticeFile = self.context.decode(span, &entry.node)?;
        let most = self.context.budget.bodies().min(self.context.budget.joints() / 4) as u64;
        let particles = file.particles();
        let counted = if (1..=most).contains(&particles) {
            Ok(())
        } else {
            Err(format!("the lattice \"{name}\" has {particles} particles, but must have between 1 and {most}"))
        };
        self.context.accept(entry.node.place(&["count"], span), counted)?;
        let rotation = file.rotation.as_ref().map_or(Ok(glam::DQuat::IDENTITY), |rotation| rotation.to_quaternion());
        let rotation = self.context.accept(entry.node.place(&["rotation"], span), rotation)?;
        let material = match &file.material {
            Some(material) => {
                let place = entry.node.place(&["material"], span);
                Some(self.materials.get(&mut self.context, material, place)?)
            }
            None => None,
        };
        let color = match &file.color {
            Some(text) => Some(self.context.accept(entry.node.place(&["color"], span), parse_color(text))?),
            None => None,
        };
        let frame = Transform::new(rotation, file.position);
        let place = |number: u32| frame.point(DVec3::from(file.cell(number).map(f64::from)) * file.spacing);
        let mass = file.mass / particles as f64;
        let mut ids: Vec<BodyId> = Vec::with_capacity(particles as usize);
        for number in 0..particles as u32 {
            let held = file.holds(number);
            let mut body = if held { Body::fixed() } else { Body::particle(mass).with_velocity(file.velocity) };
            body = body.named(format!("{name}/{number}")).in_group(name.clone()).at(place(number));
            body = body.with_linear_damping(file.linear_damping);
            if let Some(material) = material {
                body = body.with_material(material);
            }
            if file.radius > 0.0 {
                let ball = self.context.accept(span, Shape::sphere(file.radius))?;
                body = body.with_shape(ball);
            }
            let added = self.world.add_body(body);
            let id = self.context.accept(span, added)?;
            self.colors.resize(id.slot() + 1, None);
            self.colors[id.slot()] = color;
            self.names.insert(format!("{name}/{number}"), id);
            ids.push(id);
        }
        self.groups.insert(name.clone());
        self.join(entry, &file, &ids, &place)
    }

    /// Rods between neighbours, and springs to where the particles began.
    fn join(
        &mut self,
        entry: &Entry,
        file: &LatticeFile,
        ids: &[BodyId],
        place: &dyn Fn(u32) -> DVec3,
    ) -> Result<(), Reported> {
        let softness = if file.strength < 1.0 { Softness::Baumgarte { beta: file.strength } } else { Softness::Rigid };
        for [first, second] in file.rods() {
            if file.holds(first) && file.holds(second) {
                continue;
            }
            let (from, to) = (place(first), place(second));
            let length = from.distance(to) * file.length;
            let mut rod = Distance::rod(from, to).with_softness(softness);
            if file.length < 1.0 {
                rod = rod.between(length, length);
            }
            let joint = Joint::new(ids[first as usize], ids[second as usize], rod);
            let name = format!("{}/{first}-{second}", entry.key);
            let added = self.world.add_joint(joint.named(name));
            self.context.accept(entry.key_span, added)?;
        }
        if file.level_frequency > 0.0 {
            let omega = std::f64::consts::TAU * file.level_frequency;
            let stiffness = file.mass / ids.len() as f64 * omega * omega;
            for (number, &id) in ids.iter().enumerate().filter(|(number, _)| !file.holds(*number as u32)) {
                let spring = Spring::new(JointEnd::World, id).between(place(number as u32), DVec3::ZERO);
                self.world.add_force(spring.with_stiffness(stiffness));
            }
        }
        Ok(())
    }
}
