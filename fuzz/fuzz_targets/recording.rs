//! Any bytes are answered by the reader of recordings: with frames, or with what is wrong with them.
//!
//! An input is a recording of its own, or edits to a sound one. The checksums of its chunks are put right, since no fuzzer guesses
//! them; every frame that the reader promises is then asked for, forwards and backwards.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;
use tumble_scene::Loader;
use tumble_scene::record::{Header, Recording, RecordingWriter};

const SCENE: &str = "title = 'two'\n[bodies.a]\nshape.sphere.radius = 1\n[bodies.b]\nshape.box.size = [1, 1, 1]\nposition = [0, 3, 0]\n";
const MAGIC_LENGTH: usize = 8;

/// A sound recording, in which a body goes.
static SOUND: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut scene = Loader::new().load_text("two", SCENE).expect("the scene is sound");
    let mut writer = RecordingWriter::to(Vec::new(), "two", &Header::of(&scene)).expect("memory takes all");
    writer.set_bodies(scene.world.model()).expect("memory takes all");
    for step in 0..12 {
        if step == 8 {
            let first = scene.world.model().bodies().ids().next().expect("there are two");
            scene.world.remove_body(first).expect("it is there");
            writer.set_bodies(scene.world.model()).expect("memory takes all");
        }
        scene.world.step(scene.dt).expect("two bodies fall");
        writer.push(scene.world.state()).expect("memory takes all");
    }
    writer.complete().expect("memory takes all")
});

static PATH: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("tumble-fuzz-{}.tumble", std::process::id())));

fuzz_target!(|input: &[u8]| {
    let Some((&kind, rest)) = input.split_first() else { return };
    let mut bytes = SOUND.clone();
    if kind % 4 == 0 {
        bytes.truncate(MAGIC_LENGTH);
        bytes.extend_from_slice(rest);
    } else {
        for edit in rest.chunks_exact(4) {
            if bytes.len() <= MAGIC_LENGTH {
                break;
            }
            let at = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % bytes.len();
            match edit[2] % 8 {
                0 => bytes.truncate(at.max(MAGIC_LENGTH)),
                1 => bytes.insert(at, edit[3]),
                2 => drop(bytes.remove(at)),
                3 => bytes[at] = 0xff,
                _ => bytes[at] = edit[3],
            }
        }
    }
    mend_checksums(&mut bytes);
    std::fs::write(&*PATH, &bytes).expect("the folder for temporary files can be written");
    let Ok(mut recording) = Recording::open(&*PATH) else { return };
    let count = recording.len().min(200);
    for frame in (0..count).chain((0..count).rev()) {
        let Ok(state) = recording.frame(frame) else { break };
        assert!(state.time.is_finite());
    }
    let _found = recording.frame_at(0.05);
    let _newcomers = recording.newcomers().len();
});

/// Walks from chunk to chunk (kind, length, content, checksum) and corrects the checksums.
fn mend_checksums(bytes: &mut [u8]) {
    let mut at = MAGIC_LENGTH;
    while at + 12 <= bytes.len() {
        let length = u32::from_le_bytes([bytes[at + 4], bytes[at + 5], bytes[at + 6], bytes[at + 7]]) as usize;
        let Some(end) = at.checked_add(8 + length).filter(|end| end + 4 <= bytes.len()) else { return };
        let sum = crc32fast::hash(&bytes[at..end]);
        bytes[end..end + 4].copy_from_slice(&sum.to_le_bytes());
        at = end + 4;
    }
}
