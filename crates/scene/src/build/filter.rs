//! The collision filter.

use super::{Builder, Reported};
use crate::format::{FilterFile, ScopeFile, VerdictFile};
use crate::source::Span;
use crate::tree::Node;
use tumble_dynamics::model::CollisionFilter;
use tumble_dynamics::model::filter::{Scope, Verdict};

impl Builder<'_, '_> {
    pub(super) fn set_filter(&mut self, file: &FilterFile) {
        let nodes = self.context.root.at(&["filter", "rules"]).map_or(&[][..], Node::elements);
        let mut filter = CollisionFilter::new().otherwise(match file.default {
            VerdictFile::Collide => Verdict::Collide,
            VerdictFile::Ignore => Verdict::Ignore,
        });
        for (rule, node) in file.rules.iter().zip(nodes) {
            let (scope, verdict) = match (&rule.ignore, &rule.collide) {
                (Some(scope), None) => (scope, Verdict::Ignore),
                (None, Some(scope)) => (scope, Verdict::Collide),
                _ if !node.is_sound() => continue,
                _ => {
                    self.context.report.push(node.span, "a rule has either `ignore` or `collide`", "");
                    continue;
                }
            };
            let Ok(scope) = self.scope(scope, node.span) else { continue };
            filter = match (verdict, rule.exception) {
                (Verdict::Ignore, false) => filter.ignore(scope),
                (Verdict::Collide, false) => filter.collide(scope),
                (Verdict::Ignore, true) => filter.except_ignore(scope),
                (Verdict::Collide, true) => filter.except_collide(scope),
            };
        }
        self.world.set_filter(filter);
    }

    fn scope(&mut self, scope: &ScopeFile, span: Span) -> Result<Scope, Reported> {
        Ok(match scope {
            ScopeFile::Body(name) => Scope::Body(self.body(name, span)?),
            ScopeFile::Bodies([a, b]) => {
                let (a, b) = (self.body(a, span), self.body(b, span));
                Scope::Bodies([a?, b?])
            }
            ScopeFile::Group(group) => {
                self.check_group(group, span);
                Scope::Group(group.clone())
            }
            ScopeFile::Groups([a, b]) => {
                self.check_group(a, span);
                self.check_group(b, span);
                Scope::Groups([a.clone(), b.clone()])
            }
        })
    }
}
