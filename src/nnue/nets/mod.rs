//! The networks in the binary, packed by `pack.rs`.

use std::sync::{Arc, OnceLock};

use crate::game::Variant;

use super::file::{self, Parameters};
use super::network::Network;

/// The file of a game's network, the default of that game, packed.
const fn packed(variant: Variant) -> Option<&'static [u8]> {
    match variant {
        Variant::Shogi => Some(include_bytes!(concat!(env!("OUT_DIR"), "/shogi.deflate"))),
        Variant::Happokei | Variant::AiHappokei | Variant::Flanking | Variant::Hasami => None,
    }
}

struct Embedded {
    network: Arc<Network>,
    number: u32,
}

fn unpack(variant: Variant) -> Option<Embedded> {
    // A test reads every one of them.
    let bytes = miniz_oxide::inflate::decompress_to_vec(packed(variant)?);
    let bytes = bytes.unwrap_or_else(|error| unreachable!("the network of {variant}: {error}"));
    let parameters = Parameters::from_bytes(&bytes);
    let parameters = parameters.unwrap_or_else(|error| unreachable!("the network of {variant}: {error}"));
    Some(Embedded { network: Arc::new(Network::new(&parameters)), number: file::number(&bytes) })
}

/// What there is for a game; unpacked when it is first needed.
fn get(variant: Variant) -> Option<&'static Embedded> {
    static NETWORKS: [OnceLock<Option<Embedded>>; Variant::ALL.len()] = [const { OnceLock::new() }; Variant::ALL.len()];
    NETWORKS[variant as usize].get_or_init(|| unpack(variant)).as_ref()
}

/// The number that tells the network of a game, 0 if there is none.
pub fn number(variant: Variant) -> u32 {
    get(variant).map_or(0, |embedded| embedded.number)
}

/// The network of a game, if there is one.
pub fn embedded(variant: Variant) -> Option<Arc<Network>> {
    get(variant).map(|embedded| embedded.network.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_networks_are_for_their_games() {
        for variant in Variant::ALL {
            assert_eq!(packed(variant).is_some(), embedded(variant).is_some());
            if let Some(network) = embedded(variant) {
                assert_eq!(network.header().variant, variant);
                assert_ne!(number(variant), 0);
            }
        }
    }
}
