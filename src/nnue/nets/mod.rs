//! The networks in the binary, packed by `pack.rs`.

mod delta;

use std::sync::{Arc, OnceLock};

use crate::game::Variant;

use super::file::{Parameters, number as number_of};
use super::network::Network;

/// The file of a game's network, the default of that game, packed.
const fn packed(variant: Variant) -> &'static [u8] {
    macro_rules! file {
        ($name:literal) => {
            include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".deflate"))
        };
    }
    match variant {
        Variant::Shogi => file!("shogi"),
        Variant::Happokei => file!("happokei"),
        Variant::AiHappokei => file!("aihappokei"),
        Variant::Flanking => file!("flanking"),
        Variant::Hasami => file!("hasami"),
    }
}

struct Embedded {
    network: Arc<Network>,
    number: u32,
}

/// The file of a game's network. A test reads every one of them.
fn file(variant: Variant) -> Vec<u8> {
    let bytes = miniz_oxide::inflate::decompress_to_vec(packed(variant));
    let mut bytes = bytes.unwrap_or_else(|error| unreachable!("the network of {variant}: {error}"));
    let base = delta::BEGINNINGS.iter().find(|(name, _)| *name == variant.name());
    if let Some(base) = base.and_then(|(_, base)| base.parse().ok()) {
        delta::apply(&mut bytes, &file(base), u8::wrapping_add);
    }
    bytes
}

fn unpack(variant: Variant) -> Embedded {
    let bytes = file(variant);
    let parameters = Parameters::from_bytes(&bytes);
    let parameters = parameters.unwrap_or_else(|error| unreachable!("the network of {variant}: {error}"));
    Embedded { network: Arc::new(Network::new(&parameters)), number: number_of(&bytes) }
}

/// What there is for a game; unpacked when it is first needed.
fn get(variant: Variant) -> &'static Embedded {
    static NETWORKS: [OnceLock<Embedded>; Variant::ALL.len()] = [const { OnceLock::new() }; Variant::ALL.len()];
    NETWORKS[variant as usize].get_or_init(|| unpack(variant))
}

/// The number that tells the network of a game.
pub fn number(variant: Variant) -> u32 {
    get(variant).number
}

/// The network of a game.
pub fn embedded(variant: Variant) -> Arc<Network> {
    Arc::clone(&get(variant).network)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_networks_are_for_their_games() {
        for variant in Variant::ALL {
            assert_eq!(embedded(variant).header().variant, variant);
            assert_ne!(number(variant), 0);
        }
    }
}
