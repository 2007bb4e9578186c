//! Makes a module one that can be set back to its beginning.
//!
//! A plug-in must not remember anything from call to call: its answers would depend on which thread asked it first, and a resumed run
//! would differ from the one that went on. What a WebAssembly instance can remember is its memory, its globals, its tables and which segments it has dropped. Memory can
//! be written from outside. Globals can, if they are exported: so those that may change are exported here, under names of ours. What changes
//! tables or drops segments is refused; compilers do not emit it for modules without threads.

use wasmparser::{Operator, Parser, Payload};

/// The custom section with the description.
const SECTION: &str = "tumble";
/// The number of the section of exports, and of exports that are globals, in the binary format.
const EXPORT_SECTION: u8 = 7;
const EXPORTED_GLOBAL: u8 = 3;
/// The most globals that may change.
const MOST_GLOBALS: usize = 1000;

/// A module with what is needed to set it back.
#[derive(Debug)]
pub(crate) struct Module {
    /// The module in the binary format.
    pub(crate) bytes: Vec<u8>,
    /// The names under which the globals that may change are exported.
    pub(crate) globals: Vec<String>,
    /// The text in its custom section.
    pub(crate) description: String,
}

/// Exports the globals that may change; refuses what cannot be set back.
pub(crate) fn prepare(binary: &[u8]) -> Result<Module, String> {
    let wrong =
        |error: wasmparser::BinaryReaderError| format!("it is not a sound WebAssembly module: {}", error.message());
    let mut description = None;
    let mut mutable: Vec<u32> = Vec::new();
    let mut exported = false;
    for payload in Parser::new(0).parse_all(binary) {
        match payload.map_err(wrong)? {
            Payload::CustomSection(section) if section.name() == SECTION => {
                let text =
                    std::str::from_utf8(section.data()).map_err(|_| "its description is not UTF-8".to_owned())?;
                description = Some(text.to_owned());
            }
            Payload::GlobalSection(globals) => {
                for (index, global) in (0..).zip(globals) {
                    mutable.extend(global.map_err(wrong)?.ty.mutable.then_some(index));
                }
            }
            Payload::ExportSection(_) => exported = true,
            Payload::CodeSectionEntry(body) => {
                for operator in body.get_operators_reader().map_err(wrong)? {
                    refuse(&operator.map_err(wrong)?)?;
                }
            }
            _ => {}
        }
    }
    let description = description.ok_or_else(|| {
        format!("it has no description: a custom section named \"{SECTION}\" with its kind, name and properties")
    })?;
    if mutable.len() > MOST_GLOBALS {
        return Err(format!("it has {} globals that may change, and {MOST_GLOBALS} are allowed", mutable.len()));
    }
    if !exported {
        return Err("it exports nothing".into());
    }
    let names: Vec<String> = mutable.iter().map(|index| format!("tumble global {index}")).collect();
    let bytes = with_exports(binary, &names, &mutable).map_err(wrong)?;
    Ok(Module { bytes, globals: names, description })
}

/// Refuses what changes tables or drops segments.
fn refuse(operator: &Operator<'_>) -> Result<(), String> {
    match operator {
        Operator::TableSet { .. }
        | Operator::TableGrow { .. }
        | Operator::TableFill { .. }
        | Operator::TableCopy { .. }
        | Operator::TableInit { .. }
        | Operator::ElemDrop { .. }
        | Operator::DataDrop { .. } => {
            Err("it changes a table or drops a segment, which it could not be made to forget between calls".into())
        }
        _ => Ok(()),
    }
}

/// The module with further exports: every section as it is, but for the one of exports, which has more of them.
fn with_exports(binary: &[u8], names: &[String], globals: &[u32]) -> Result<Vec<u8>, wasmparser::BinaryReaderError> {
    let mut bytes = binary[..8.min(binary.len())].to_vec();
    for payload in Parser::new(0).parse_all(binary) {
        let payload = payload?;
        let Some((id, range)) = payload.as_section() else { continue };
        let mut content = binary[range.clone()].to_vec();
        if let (EXPORT_SECTION, Payload::ExportSection(exports)) = (id, &payload) {
            let mut more = Vec::new();
            write_number(&mut more, exports.count() + names.len() as u32);
            // The number of exports stands first, in bytes of which all but the last have the highest bit.
            let prefix = content.iter().position(|byte| byte & 0x80 == 0).map_or(0, |last| last + 1);
            more.extend_from_slice(&content[prefix..]);
            for (name, &global) in names.iter().zip(globals) {
                write_number(&mut more, name.len() as u32);
                more.extend_from_slice(name.as_bytes());
                more.push(EXPORTED_GLOBAL);
                write_number(&mut more, global);
            }
            content = more;
        }
        bytes.push(id);
        write_number(&mut bytes, content.len() as u32);
        bytes.extend_from_slice(&content);
    }
    Ok(bytes)
}

/// A number in the variable-length encoding LEB128.
fn write_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
