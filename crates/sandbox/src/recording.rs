//! The last minute as one of tumble's own recordings, to be looked at again with `tumble render`.

use crate::simulation::Minute;
use tumble_scene::record::{RecordError, RecordingWriter};

/// The bytes of the file.
pub(crate) fn recording(minute: &Minute) -> Result<Vec<u8>, RecordError> {
    let mut writer = RecordingWriter::to(Vec::new(), "the recording", &minute.header)?;
    writer.set_bodies(minute.start.model())?;
    for (states, whole) in &minute.moments {
        writer.set_bodies(whole.model())?;
        writer.push(&states.first)?;
    }
    writer.complete()
}
