//! The head of a file of games.

use thiserror::Error;

use crate::game::{EnteringKingRule, Goal, HouseRules, Variant};

/// The settings under which the games of a file were played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The game.
    pub variant: Variant,
    /// The rules of the table.
    pub rules: HouseRules,
    /// Nodes after which a search begins no new iteration.
    pub soft_nodes: u32,
    /// Nodes after which a search ends.
    pub hard_nodes: u32,
    /// CRC-32 of the executable that played.
    pub program: u32,
    /// Number that tells the network, 0 for the hand-crafted evaluation.
    pub network: u64,
    /// Version of the program; at most 20 bytes are kept.
    pub version: String,
}

/// Why bytes are no header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum HeaderError {
    /// Some other file.
    #[error("this is no file of games")]
    Other,
    /// Written by a program newer than this one.
    #[error("version {0} of the format is not known")]
    Version(u16),
    /// The file ends within it, or a byte has changed.
    #[error("the header is damaged")]
    Damaged,
}

const MAGIC: &[u8; 8] = b"happogam";
const VERSION: u16 = 1;
const VERSION_TEXT: std::ops::Range<usize> = 40..60;

impl Header {
    /// Bytes of a header.
    pub const SIZE: usize = 64;

    /// The bytes.
    pub fn to_bytes(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        let place = |all: &[bool]| all.iter().position(|&same| same).unwrap_or(0) as u8;
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
        bytes[10..12].copy_from_slice(&(Self::SIZE as u16).to_le_bytes());
        bytes[12] = place(&Variant::ALL.map(|variant| variant == self.variant));
        bytes[13] = place(&Goal::ALL.map(|goal| goal == self.rules.goal));
        bytes[14] = place(&EnteringKingRule::ALL.map(|rule| rule == self.rules.entering_king));
        bytes[16..20].copy_from_slice(&self.rules.move_limit.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.soft_nodes.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.hard_nodes.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.program.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.network.to_le_bytes());
        for (byte, &text) in bytes[VERSION_TEXT].iter_mut().zip(self.version.as_bytes()) {
            *byte = text;
        }
        let sum = crc32fast::hash(&bytes[..60]);
        bytes[60..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads the header that a file begins with.
    pub fn from_bytes(file: &[u8]) -> Result<Self, HeaderError> {
        if !file.starts_with(MAGIC) {
            return Err(HeaderError::Other);
        }
        let Some(bytes) = file.first_chunk::<{ Self::SIZE }>() else { return Err(HeaderError::Damaged) };
        let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
        if u16_at(8) != VERSION {
            return Err(HeaderError::Version(u16_at(8)));
        }
        if u32_at(60) != crc32fast::hash(&bytes[..60]) || usize::from(u16_at(10)) != Self::SIZE {
            return Err(HeaderError::Damaged);
        }
        let version = bytes[VERSION_TEXT].split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(Self {
            variant: *Variant::ALL.get(usize::from(bytes[12])).ok_or(HeaderError::Damaged)?,
            rules: HouseRules {
                goal: *Goal::ALL.get(usize::from(bytes[13])).ok_or(HeaderError::Damaged)?,
                entering_king: *EnteringKingRule::ALL.get(usize::from(bytes[14])).ok_or(HeaderError::Damaged)?,
                move_limit: u32_at(16),
            },
            soft_nodes: u32_at(20),
            hard_nodes: u32_at(24),
            program: u32_at(28),
            network: u64::from(u32_at(32)) | u64::from(u32_at(36)) << 32,
            version: String::from_utf8_lossy(version).into_owned(),
        })
    }
}
