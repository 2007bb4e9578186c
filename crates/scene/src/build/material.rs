//! Materials by name: the built-in ones and those of the file, which may be like others; and how two are combined.

use super::{Context, Reported};
use crate::format::MaterialFile;
use crate::nearest::suggestion;
use crate::source::Span;
use crate::tree::Entry;
use std::collections::BTreeMap;
use tumble_dynamics::Material;
use tumble_dynamics::model::{MaterialMixing, MixingRules};

pub(super) struct Materials {
    /// None is one that was refused.
    by_name: BTreeMap<String, Option<Material>>,
}

impl Materials {
    pub(super) fn read(context: &mut Context<'_>) -> Self {
        let presets = Material::PRESETS.iter().map(|&(name, material)| (name.to_owned(), Some(material)));
        let mut materials = Self { by_name: presets.collect() };
        let entries = context.root.section("materials");
        // Each round reads the materials whose model is known; what is left when a round reads nothing is a cycle.
        let mut waiting: Vec<usize> = (0..entries.len()).collect();
        let own: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
        while !waiting.is_empty() {
            let before = waiting.len();
            let still: Vec<&str> = waiting.iter().map(|&index| own[index]).collect();
            let (ready, later): (Vec<usize>, Vec<usize>) = waiting.into_iter().partition(|&index| {
                let like = entries[index].node.get("like").and_then(|like| like.text());
                like.is_none_or(|like| like == own[index] || !still.contains(&like))
            });
            waiting = later;
            for index in ready {
                let entry = &entries[index];
                let material = materials.one(context, entry).ok();
                materials.by_name.insert(entry.key.clone(), material);
            }
            if waiting.len() == before {
                for index in waiting {
                    let message = format!("the material `{}` is like itself in the end", own[index]);
                    context.report.push(entries[index].key_span, message, "`like` goes round in a circle");
                    materials.by_name.insert(own[index].to_owned(), None);
                }
                break;
            }
        }
        materials
    }

    /// The material of an entry that is like none, or like one that is known.
    fn one(&self, context: &mut Context<'_>, entry: &Entry) -> Result<Material, Reported> {
        let file: MaterialFile = context.decode(entry.key_span, &entry.node)?;
        let base = match &file.like {
            Some(like) => self.get(context, like, entry.node.place(&["like"], entry.key_span))?,
            None => Material::default(),
        };
        let material = changed(base, &file);
        context.accept_of(&entry.node, entry.key_span, material.validate())?;
        Ok(material)
    }

    /// A material by name; if there is none, that is reported.
    pub(super) fn get(&self, context: &mut Context<'_>, name: &str, span: Span) -> Result<Material, Reported> {
        let found = self.by_name.get(name).ok_or_else(|| {
            if !context.root.has_lost("materials") {
                let help = suggestion(name, self.by_name.keys().map(String::as_str));
                context.report.push(span, format!("there is no material \"{name}\""), help);
            }
            Reported
        })?;
        found.ok_or(Reported)
    }
}

fn changed(base: Material, file: &MaterialFile) -> Material {
    let static_friction = file.static_friction.or(file.friction).unwrap_or(base.static_friction);
    // Whoever only lowers the static friction does not want an error about the dynamic one.
    let dynamic_friction =
        file.dynamic_friction.or(file.friction).unwrap_or(base.dynamic_friction.min(static_friction));
    Material {
        density: file.density.unwrap_or(base.density),
        restitution: file.restitution.unwrap_or(base.restitution),
        static_friction,
        dynamic_friction,
        rolling_friction: file.rolling_friction.unwrap_or(base.rolling_friction),
        spinning_friction: file.spinning_friction.unwrap_or(base.spinning_friction),
        perturbation: file.perturbation.unwrap_or(base.perturbation),
    }
}

/// The rule for two materials that touch.
pub(super) fn mixing(rules: MixingRules) -> MaterialMixing {
    if rules == MixingRules::default() { MaterialMixing::Standard } else { MaterialMixing::Rules(rules) }
}
