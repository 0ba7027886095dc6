//! The trainer of our own networks, `(inputs -> width)x2 -> buckets` with squared clipped activations.
//!
//! [`source`] turns files of games into [`samples`]; [`batch`] lays them out; [`model`] learns from them, cut into
//! independent [`tile`]s whose arithmetic is in [`kernels`]; [`run`] goes through the epochs that its [`settings`] ask
//! for, with [`checkpoint`]s, and leaves a rounded net ([`export`]) and its record ([`report`]).
//!
//! The loss is the mean squared error of the expected share of the point, `sigmoid(output)`, against `w * result + (1 - w)
//! * sigmoid(score / scale)`. The same seed, games and settings give the same net, whatever the number of threads.

pub mod batch;
pub mod checkpoint;
pub mod export;
pub mod kernels;
pub mod model;
pub mod report;
pub mod run;
pub mod samples;
pub mod settings;
pub mod source;
#[cfg(test)]
mod tests;
pub mod tile;
