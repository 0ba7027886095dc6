//! What a run leaves behind for people: the loss curve as a table and as a picture, and the record of a net.

use std::fmt::Write;

use plotters::prelude::*;
use serde::{Deserialize, Serialize};

use super::checkpoint::State;
use super::export::Difference;
use super::source::DataFile;

/// The losses of an epoch: mean squared errors of the expected share of the point.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Epochs done.
    pub epoch: u32,
    /// Steps done.
    pub steps: u64,
    /// Positions gone through in it.
    pub positions: u64,
    /// Learning rate at the end of it.
    pub rate: f32,
    /// Weight of the result in the target at the end of it.
    pub result: f32,
    /// Against the targets that were learnt from, while they were learnt.
    pub training: f64,
    /// The same for the games held out, at the end of it; absent if there are none.
    pub held_out: Option<HeldOut>,
    /// Seconds since the run began.
    pub seconds: f64,
}

/// Losses over the games held out.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct HeldOut {
    /// Against the target with the last weight of the result: the same from the first epoch to the last.
    pub blend: f64,
    /// Against the result alone.
    pub result: f64,
    /// Against the score alone.
    pub score: f64,
}

/// The table, one line an epoch.
pub fn csv(rows: &[Row]) -> String {
    let mut text =
        "epoch,steps,positions,rate,result_weight,training,held_out,held_out_result,held_out_score,seconds\n"
            .to_owned();
    for row in rows {
        let held_out = row
            .held_out
            .map_or(",,".to_owned(), |loss| format!("{:.7},{:.7},{:.7}", loss.blend, loss.result, loss.score));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},{},{:.3e},{:.4},{:.7},{held_out},{:.1}",
            row.epoch, row.steps, row.positions, row.rate, row.result, row.training, row.seconds
        );
    }
    text
}

/// The picture, as SVG.
pub fn svg(rows: &[Row]) -> Result<String, String> {
    let mut text = String::new();
    draw(rows, &mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

fn draw(rows: &[Row], text: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let training: Vec<(f64, f64)> = rows.iter().map(|row| (row.epoch.into(), row.training)).collect();
    let held_out: Vec<(f64, f64)> =
        rows.iter().filter_map(|row| Some((row.epoch.into(), row.held_out?.blend))).collect();
    let losses = || training.iter().chain(&held_out).map(|&(_, loss)| loss);
    let (low, high) = losses().fold((f64::MAX, f64::MIN), |(low, high), loss| (low.min(loss), high.max(loss)));
    let margin = ((high - low) * 0.05).max(1e-6);
    let last = rows.last().map_or(2, |row| row.epoch.max(2));
    let root = SVGBackend::with_string(text, (800, 480)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(16)
        .caption("Loss", ("sans-serif", 20))
        .x_label_area_size(40)
        .y_label_area_size(70)
        .build_cartesian_2d(1.0..f64::from(last), low - margin..high + margin)?;
    chart
        .configure_mesh()
        .x_desc("epoch")
        .y_desc("mean squared error")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.4}"))
        .draw()?;
    for (points, color, name) in [(training, BLUE, "training"), (held_out, RED, "held out")] {
        if !points.is_empty() {
            chart
                .draw_series(LineSeries::new(points, color))?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color));
        }
    }
    chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}

/// All there is to know about a net, to be kept beside it.
#[derive(Clone, Debug, Serialize)]
pub struct Record<'a> {
    /// The program that trained it.
    pub program: &'static str,
    /// The net's file.
    pub net: NetFile,
    /// How it was trained.
    pub settings: &'a super::settings::Settings,
    /// The net it started from.
    pub start: Option<&'a str>,
    /// On which games.
    pub data: Vec<Games>,
    /// Positions held out.
    pub held_out: usize,
    /// Centipawns worth a factor of e in the odds.
    pub scale: u16,
    /// The last losses.
    pub losses: Option<&'a Row>,
    /// What rounding the weights changed.
    pub quantisation: Difference,
    /// Seconds of training.
    pub seconds: f64,
}

/// The files that one run of self-play wrote, which are many.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Games {
    /// What their names have in common: all before the last `-`, which is where the number of the first game follows.
    pub name: String,
    /// How many there are.
    pub files: usize,
    /// Games that could be read.
    pub games: u64,
    /// Positions with a score.
    pub positions: u64,
    /// Soft limit of nodes under which the games were played.
    pub nodes: u32,
    /// The network that played ([`NetFile::crc32`]), `None` for the hand-crafted evaluation.
    pub network: Option<String>,
    /// CRC-32 of the files' own CRC-32s, little-endian, in the order they were read in.
    pub crc32: String,
}

impl Games {
    /// Neighbouring files of one run taken together.
    pub fn of(files: &[DataFile]) -> Vec<Self> {
        fn run(file: &DataFile) -> &str {
            file.name.rsplit_once('-').map_or(&file.name, |(run, _)| run)
        }
        let alike = |a: &DataFile, b: &DataFile| (run(a), a.nodes, a.network) == (run(b), b.nodes, b.network);
        let group = |files: &[DataFile]| Self {
            name: run(&files[0]).to_owned(),
            files: files.len(),
            games: files.iter().map(|file| file.games).sum(),
            positions: files.iter().map(|file| file.positions).sum(),
            nodes: files[0].nodes,
            network: (files[0].network != 0).then(|| format!("{:08x}", files[0].network)),
            crc32: {
                let sums: Vec<u8> = files.iter().flat_map(|file| file.crc32.to_le_bytes()).collect();
                format!("{:08x}", crc32fast::hash(&sums))
            },
        };
        files.chunk_by(alike).map(group).collect()
    }
}

/// A file of a net.
#[derive(Clone, Debug, Serialize)]
pub struct NetFile {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: usize,
    /// CRC-32 of all but the last four bytes, which are the same number.
    pub crc32: String,
}

impl<'a> Record<'a> {
    /// The record of a finished run.
    pub fn new(state: &'a State, net: NetFile, held_out: usize, quantisation: Difference) -> Self {
        Self {
            program: concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")),
            net,
            settings: &state.settings,
            start: state.start.as_deref(),
            data: Games::of(&state.files),
            held_out,
            scale: state.scale,
            losses: state.curve.last(),
            quantisation,
            seconds: state.progress.seconds.round(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_run_are_taken_together() {
        let file = |name: &str, crc32: u32, network: u64| DataFile {
            name: name.into(),
            crc32,
            games: 10,
            positions: 700,
            nodes: 100,
            network,
        };
        let files = [
            file("shogi-7-0000000.games", 1, 0),
            file("shogi-7-0001000.games", 2, 0),
            file("shogi-8-0000000.games", 3, 0xAB),
            file("own.games", 4, 0),
        ];
        let games = Games::of(&files);
        let names: Vec<_> = games.iter().map(|run| (run.name.as_str(), run.files, run.games, run.positions)).collect();
        assert_eq!(names, [("shogi-7", 2, 20, 1400), ("shogi-8", 1, 10, 700), ("own.games", 1, 10, 700)]);
        assert_eq!(games[1].network.as_deref(), Some("000000ab"));
        assert_eq!(games[0].network, None);
        assert_eq!(games[0].crc32, format!("{:08x}", crc32fast::hash(&[1, 0, 0, 0, 2, 0, 0, 0])));
    }
}
