//! `tumble report`: pages of the book whose numbers and plots are measured.

pub(crate) mod kleppmann;
mod methods;

use crate::args::{Report, ReportKind};
use crate::failure::Failure;

pub(crate) fn report(options: &Report) -> Result<(), Failure> {
    match &options.which {
        ReportKind::Kleppmann(options) => kleppmann::report(options),
        ReportKind::Methods(options) => methods::report(options),
    }
}
