//! The networks in the binary.

use std::sync::{Arc, OnceLock};

use crate::game::Variant;

use super::file::Parameters;
use super::network::Network;

/// The file of a game's network, the default of that game.
const fn file(variant: Variant) -> Option<&'static [u8]> {
    match variant {
        Variant::Shogi => Some(include_bytes!("shogi.happonet")),
        Variant::Happokei | Variant::AiHappokei | Variant::Flanking | Variant::Hasami => None,
    }
}

/// The number that tells the network of a game, 0 if there is none.
pub fn number(variant: Variant) -> u32 {
    file(variant).map_or(0, super::file::number)
}

/// The network of a game, if there is one; unpacked when it is first needed.
pub fn embedded(variant: Variant) -> Option<Arc<Network>> {
    static NETWORKS: [OnceLock<Option<Arc<Network>>>; Variant::ALL.len()] =
        [const { OnceLock::new() }; Variant::ALL.len()];
    let unpack = || {
        let parameters = Parameters::from_bytes(file(variant)?);
        // A test reads every one of them.
        let parameters = parameters.unwrap_or_else(|error| unreachable!("the network of {variant}: {error}"));
        Some(Arc::new(Network::new(&parameters)))
    };
    NETWORKS[variant as usize].get_or_init(unpack).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_networks_are_for_their_games() {
        for variant in Variant::ALL {
            if let Some(network) = embedded(variant) {
                assert_eq!(network.header().variant, variant);
            }
        }
    }
}
