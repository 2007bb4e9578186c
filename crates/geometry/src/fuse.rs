//! A fuse: how a part that runs what others wrote says that it failed, where there is no way to return an error.
//!
//! A support mapping is asked a hundred times for one pair of shapes, deep inside algorithms that answer with numbers; a force adds to
//! a sum. Code of our own cannot fail there. A part that is a program loaded at run time can: it then answers with something harmless
//! and *blows its fuse*. Whoever began the computation looks at the fuses when it is done, and takes everything back if one has
//! blown. So failures cost nothing where there are none, and no result of a failed part is ever used.

use std::sync::{Arc, Mutex, PoisonError};

/// Whether a part failed, and why. Clones are the same fuse.
#[derive(Clone, Debug, Default)]
pub struct Fuse(Arc<Mutex<Option<String>>>);

impl Fuse {
    /// A fuse that is whole.
    pub fn new() -> Self {
        Self::default()
    }

    /// The part failed; `problem` names it and says why. Of several failures the one that comes first in the alphabet is
    /// kept, so that the message does not depend on which thread was faster.
    pub fn blow(&self, problem: String) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_none_or(|known| problem < *known) {
            *known = Some(problem);
        }
    }

    /// Why it has blown, if it has; it is whole again then.
    pub fn mend(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether the other one is a clone of this.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Fuse;

    #[test]
    fn it_keeps_the_first_message_of_the_alphabet_and_can_be_mended() {
        let fuse = Fuse::new();
        let other = fuse.clone();
        assert!(fuse.is(&other) && !fuse.is(&Fuse::new()));
        other.blow("b".into());
        other.blow("a".into());
        other.blow("c".into());
        assert_eq!(fuse.mend(), Some("a".into()));
        assert_eq!(other.mend(), None);
    }
}
