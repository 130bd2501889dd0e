//! The file of a recording: `CAROM-REC`, the version of the format (u8), then blocks to the end of the file. A block is
//! its kind (u8), the length of what it holds (u32), the length of that when packed (u32), the CRC-32 of the packed bytes
//! and of these three fields (u32), all little-endian, and the packed bytes: postcard, then deflate.

use super::RecordingError;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, Read, Write};
use std::path::Path;

const MAGIC: &[u8; 9] = b"CAROM-REC";
/// A version of what blocks hold. All are read, the last is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Without the files that the scene names, and without what was stopped on its way.
    One = 1,
    Two = 2,
}

impl Format {
    pub(crate) const ALL: [Self; 2] = [Self::One, Self::Two];
    pub(crate) const WRITTEN: Self = Self::Two;
}
const HEAD: usize = 13;
/// No block that this program writes holds more, in bytes.
const MOST_HELD: u32 = 1 << 30;

/// What is in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    Header = 0,
    Frames = 1,
    Keyframe = 2,
    Inputs = 3,
    End = 4,
}

impl BlockKind {
    const ALL: [Self; 5] = [Self::Header, Self::Frames, Self::Keyframe, Self::Inputs, Self::End];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Frames => "frames",
            Self::Keyframe => "keyframe",
            Self::Inputs => "inputs",
            Self::End => "end",
        }
    }
}

/// Whether a file begins with the letters of a recording.
pub(super) fn has_magic(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *MAGIC
}

pub(super) struct BlockWriter<W: Write> {
    writer: W,
}

impl<W: Write> BlockWriter<W> {
    pub(super) fn new(mut writer: W) -> io::Result<Self> {
        writer.write_all(MAGIC)?;
        writer.write_all(&[Format::WRITTEN as u8])?;
        Ok(Self { writer })
    }

    pub(super) fn write<T: Serialize + ?Sized>(&mut self, kind: BlockKind, value: &T) -> io::Result<()> {
        let held = postcard::to_stdvec(value).map_err(io::Error::other)?;
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::default());
        packer.write_all(&held)?;
        let packed = packer.finish()?;
        let too_large = |_| io::Error::other("a block is larger than 4 GiB");
        let lengths = [u32::try_from(held.len()).map_err(too_large)?, u32::try_from(packed.len()).map_err(too_large)?];
        let mut head = vec![kind as u8];
        lengths.iter().for_each(|length| head.extend(length.to_le_bytes()));
        head.extend(checksum(&head, &packed).to_le_bytes());
        self.writer.write_all(&head)?;
        self.writer.write_all(&packed)
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        self.writer.flush()?;
        Ok(self.writer)
    }
}

fn checksum(head: &[u8], packed: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(head);
    hasher.update(packed);
    hasher.finalize()
}

pub(super) struct BlockReader<'a> {
    pub(super) format: Format,
    bytes: &'a [u8],
    at: usize,
}

/// A block whose checksum is right.
struct Block<'a> {
    kind: BlockKind,
    held: u32,
    packed: &'a [u8],
}

impl<'a> BlockReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, RecordingError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(RecordingError::NotOne)?;
        let Some(&found) = rest.first() else {
            return Err(RecordingError::Truncated { at: bytes.len(), block: "version" });
        };
        let format = Format::ALL.into_iter().find(|format| *format as u8 == found);
        let format = format.ok_or(RecordingError::Version { found })?;
        Ok(Self { format, bytes, at: MAGIC.len() + 1 })
    }

    /// What kind of block comes next.
    pub(super) fn next_kind(&self) -> Result<BlockKind, RecordingError> {
        self.block().map(|block| block.kind)
    }

    /// The next block, which has to be of this kind.
    pub(super) fn expect<T: DeserializeOwned>(&mut self, kind: BlockKind) -> Result<T, RecordingError> {
        let block = self.block()?;
        if block.kind != kind {
            return Err(self.wrong(format!(
                "it is of the kind `{}`, where `{}` belongs",
                block.kind.name(),
                kind.name()
            )));
        }
        let wrong = |why: String| RecordingError::Block { at: self.at, block: kind.name(), why };
        let mut held = Vec::new();
        // One byte more than it says: then it is wrong, and no longer.
        let read = DeflateDecoder::new(block.packed).take(u64::from(block.held) + 1).read_to_end(&mut held);
        read.map_err(|error| wrong(format!("it cannot be unpacked: {error}")))?;
        if held.len() as u64 != u64::from(block.held) {
            return Err(wrong(format!("it holds {} bytes and not {}", held.len(), block.held)));
        }
        let (value, rest) = postcard::take_from_bytes(&held).map_err(|error| wrong(format!("{error}")))?;
        if !rest.is_empty() {
            return Err(wrong(format!("{} bytes are left over", rest.len())));
        }
        self.at += HEAD + block.packed.len();
        Ok(value)
    }

    /// What is wrong with the next block.
    pub(super) fn wrong(&self, why: String) -> RecordingError {
        let block = self.block().map_or("next", |block| block.kind.name());
        RecordingError::Block { at: self.at, block, why }
    }

    fn block(&self) -> Result<Block<'a>, RecordingError> {
        let at = self.at;
        let rest = self.bytes.get(at..).unwrap_or_default();
        let (Some(head), Some(kind)) = (rest.get(..HEAD), rest.first()) else {
            return Err(RecordingError::Truncated { at: self.bytes.len(), block: "head of a block" });
        };
        let known = BlockKind::ALL.into_iter().find(|known| *known as u8 == *kind);
        let name = known.map_or("unknown", BlockKind::name);
        let word = |place: usize| u32::from_le_bytes([head[place], head[place + 1], head[place + 2], head[place + 3]]);
        let (held, length, sum) = (word(1), word(5) as usize, word(9));
        let Some(packed) = rest.get(HEAD..).and_then(|rest| rest.get(..length)) else {
            return Err(RecordingError::Truncated { at: self.bytes.len(), block: name });
        };
        if checksum(&head[..9], packed) != sum {
            return Err(RecordingError::Checksum { at, block: name });
        }
        let Some(kind) = known else {
            let why = format!("this version knows no block of the kind {kind}");
            return Err(RecordingError::Block { at, block: name, why });
        };
        if held > MOST_HELD {
            return Err(RecordingError::Block { at, block: name, why: format!("it says that it holds {held} bytes") });
        }
        Ok(Block { kind, held, packed })
    }
}
