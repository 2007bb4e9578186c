//! Writes a ZIP archive of uncompressed files, each of a length known beforehand, with ZIP64 where 32 bits do not do.

use std::io::{Result, Seek, SeekFrom, Write};

/// A file in the archive.
struct Member {
    name: String,
    size: u64,
    crc: u32,
    offset: u64,
}

pub(super) struct ZipWriter<W> {
    file: W,
    members: Vec<Member>,
}

const LARGE: u64 = 0xffff_ffff;

fn short(size: u64) -> [u8; 4] {
    (size.min(LARGE) as u32).to_le_bytes()
}

impl<W: Write + Seek> ZipWriter<W> {
    pub(super) fn new(file: W) -> Self {
        Self { file, members: Vec::new() }
    }

    /// Adds a file of exactly `size` bytes that `content` writes.
    pub(super) fn add(
        &mut self,
        name: &str,
        size: u64,
        content: impl FnOnce(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        let offset = self.file.stream_position()?;
        let mut member = Member { name: name.to_owned(), size, crc: 0, offset };
        self.file.write_all(&member.local_header())?;
        let mut sum = Summing { file: &mut self.file, crc: crc32fast::Hasher::new(), written: 0 };
        content(&mut sum)?;
        let written = sum.written;
        member.crc = sum.crc.finalize();
        if written != size {
            return Err(std::io::Error::other(format!("{name} has {written} bytes instead of {size}")));
        }
        // The checksum is known only now.
        let end = self.file.stream_position()?;
        self.file.seek(SeekFrom::Start(offset + 14))?;
        self.file.write_all(&member.crc.to_le_bytes())?;
        self.file.seek(SeekFrom::Start(end))?;
        self.members.push(member);
        Ok(())
    }

    /// Writes the directory.
    pub(super) fn finish(mut self) -> Result<W> {
        let start = self.file.stream_position()?;
        for member in &self.members {
            self.file.write_all(&member.directory_entry())?;
        }
        let length = self.file.stream_position()? - start;
        let count = self.members.len() as u64;
        if start >= LARGE {
            let mut end = b"PK\x06\x06".to_vec();
            end.extend(44_u64.to_le_bytes());
            end.extend([45, 0, 45, 0]);
            end.extend([0; 8]);
            for number in [count, count, length, start] {
                end.extend(number.to_le_bytes());
            }
            end.extend(b"PK\x06\x07\0\0\0\0");
            end.extend((start + length).to_le_bytes());
            end.extend(1_u32.to_le_bytes());
            self.file.write_all(&end)?;
        }
        let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
        end.extend([(count as u16).to_le_bytes(); 2].concat());
        end.extend(short(length));
        end.extend(short(start));
        end.extend([0, 0]);
        self.file.write_all(&end)?;
        self.file.flush()?;
        Ok(self.file)
    }
}

impl Member {
    fn is_large(&self) -> bool {
        self.size >= LARGE
    }

    fn local_header(&self) -> Vec<u8> {
        let mut extra = Vec::new();
        if self.is_large() {
            extra.extend([1, 0, 16, 0]);
            extra.extend([self.size.to_le_bytes(); 2].concat());
        }
        let mut header = b"PK\x03\x04".to_vec();
        header.extend(self.common());
        header.extend((self.name.len() as u16).to_le_bytes());
        header.extend((extra.len() as u16).to_le_bytes());
        header.extend(self.name.as_bytes());
        header.extend(extra);
        header
    }

    /// Version, flags, no compression, 1 January 1980, checksum and sizes.
    fn common(&self) -> Vec<u8> {
        let version = if self.is_large() || self.offset >= LARGE { 45 } else { 20 };
        let mut common = vec![version, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        common.extend(self.crc.to_le_bytes());
        common.extend([short(self.size); 2].concat());
        common
    }

    fn directory_entry(&self) -> Vec<u8> {
        let mut large: Vec<u8> = Vec::new();
        if self.is_large() {
            large.extend([self.size.to_le_bytes(); 2].concat());
        }
        if self.offset >= LARGE {
            large.extend(self.offset.to_le_bytes());
        }
        let mut extra = Vec::new();
        if !large.is_empty() {
            extra.extend([1, 0]);
            extra.extend((large.len() as u16).to_le_bytes());
            extra.extend(large);
        }
        let mut entry = b"PK\x01\x02\x2d\x03".to_vec();
        entry.extend(self.common());
        entry.extend((self.name.len() as u16).to_le_bytes());
        entry.extend((extra.len() as u16).to_le_bytes());
        // No comment, first disk, no attributes.
        entry.extend([0; 10]);
        entry.extend(short(self.offset));
        entry.extend(self.name.as_bytes());
        entry.extend(extra);
        entry
    }
}

/// Passes bytes on and sums them up.
struct Summing<'a, W> {
    file: &'a mut W,
    crc: crc32fast::Hasher,
    written: u64,
}

impl<W: Write> Write for Summing<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let count = self.file.write(bytes)?;
        self.crc.update(&bytes[..count]);
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }
}
