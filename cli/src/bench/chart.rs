//! The comparison as a bar chart: one bar a structure, the build and then the updates.

use super::results::{Results, Row, State, time};
use std::fmt::Write;

const WIDTH: f64 = 960.0;
const TOP: f64 = 92.0;
const ROW: f64 = 36.0;
const BAR: f64 = 22.0;
/// What stands behind a bar needs this much room.
const RIGHT: f64 = 170.0;
const BUILD: &str = "#f0a04b";
const UPDATES: &str = "#2f6db0";

/// Where the greatest total is more than this many times the least bar, the scale is logarithmic.
const SPREAD: f64 = 30.0;

const STYLE: &str = "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;font-size:14px;\
    fill:#1d2733}.title{font-size:18px;font-weight:600}.small{font-size:12.5px;fill:#5a6675}.best{font-weight:700}\
    .none{fill:#8a94a1;font-style:italic}";

const PAGE_STYLE: &str = "body{font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;color:#1d2733;\
    background:#fff;max-width:1000px;margin:2rem auto;padding:0 1rem}svg{width:100%;height:auto}\
    div{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:14px}\
    th,td{padding:.35rem .6rem;text-align:right;white-space:nowrap;border-bottom:1px solid #dde3ea}\
    th{color:#5a6675;font-weight:600}th:first-child,td:first-child,th:last-child,td:last-child{text-align:left}\
    tr.best td{font-weight:700;background:#eef5fc}";

/// From seconds to where they stand in the picture.
struct Scale {
    left: f64,
    right: f64,
    /// The seconds at the left and at the right end.
    least: f64,
    most: f64,
    ticks: Vec<f64>,
    is_logarithmic: bool,
}

/// The chart as an SVG file.
pub(super) fn svg(results: &Results) -> String {
    let names = results.structures.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
    let left = 40.0 + 8.0 * names as f64;
    let scale = Scale::of(&results.structures, left, WIDTH - RIGHT);
    let bottom = TOP + ROW * results.structures.len() as f64;
    let height = bottom + 62.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" role=\"img\">\n<title>Broad-phase structures on {}</title>\n<style>{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        escaped(&results.scene)
    );
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<text class=\"title\" x=\"24\" y=\"34\">Broad-phase structures: build and update</text>");
    let _ = writeln!(out, "<text class=\"small\" x=\"24\" y=\"56\">{}</text>", escaped(&results.head()));
    legend(results, left, &mut out);
    axis(&scale, bottom, &mut out);
    let steps = match results.steps {
        0 => "time to build".to_string(),
        1 => "time to build and take 1 step".to_string(),
        steps => format!("time to build and take {steps} steps"),
    };
    let kind = if scale.is_logarithmic {
        "logarithmic scale: the colours change at the time to build"
    } else {
        "linear scale"
    };
    let middle = 0.5 * (scale.left + scale.right);
    let _ = writeln!(
        out,
        "<text class=\"small\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{steps} ({kind})</text>",
        bottom + 44.0
    );
    for (index, row) in results.structures.iter().enumerate() {
        bar(row, &scale, TOP + ROW * (index as f64 + 0.5), &mut out);
    }
    out + "</svg>\n"
}

/// The chart and the table as a page that needs nothing else.
pub(super) fn page(results: &Results) -> String {
    let title = format!("Broad-phase structures on {}", escaped(&results.scene));
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{title}</title>\n\
         <style>{PAGE_STYLE}</style>\n</head>\n<body>\n{}<div>\n<table>\n<thead><tr>",
        svg(results)
    );
    for column in Results::COLUMNS {
        let _ = write!(out, "<th>{column}</th>");
    }
    out += "</tr></thead>\n<tbody>\n";
    for row in &results.structures {
        out += if row.is_best() { "<tr class=\"best\">" } else { "<tr>" };
        for cell in row.cells() {
            let _ = write!(out, "<td>{}</td>", escaped(&cell));
        }
        out += "</tr>\n";
    }
    out += "</tbody>\n</table>\n</div>\n";
    for line in results.verdict() {
        let _ = writeln!(out, "<p>{}</p>", escaped(&line));
    }
    out + "</body>\n</html>\n"
}

fn legend(results: &Results, left: f64, out: &mut String) {
    let updates = if results.steps == 0 { None } else { Some((UPDATES, "updates, all steps")) };
    let mut x = left;
    for (colour, name) in [(BUILD, "build")].into_iter().chain(updates) {
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"70\" width=\"13\" height=\"13\" rx=\"2\" fill=\"{colour}\"/>\
             <text class=\"small\" x=\"{:.1}\" y=\"81\">{name}</text>",
            x + 19.0
        );
        x += 75.0;
    }
}

fn axis(scale: &Scale, bottom: f64, out: &mut String) {
    for &tick in &scale.ticks {
        let x = scale.place(tick);
        let _ = writeln!(
            out,
            "<path d=\"M{x:.1} {TOP}V{bottom:.1}\" stroke=\"#e3e8ee\"/>\
             <text class=\"small\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 20.0,
            tick_label(tick)
        );
    }
    let _ = writeln!(
        out,
        "<path d=\"M{0:.1} {TOP}V{bottom:.1}H{1:.1}\" fill=\"none\" stroke=\"#9aa5b1\"/>",
        scale.left, scale.right
    );
}

fn bar(row: &Row, scale: &Scale, middle: f64, out: &mut String) {
    let is_best = row.is_best();
    let class = if is_best { " class=\"best\"" } else { "" };
    let baseline = middle + 5.0;
    let _ = writeln!(
        out,
        "<text{class} x=\"{:.1}\" y=\"{baseline:.1}\" text-anchor=\"end\">{}</text>",
        scale.left - 12.0,
        escaped(row.name)
    );
    let (Some(build), Some(total)) = (row.build_seconds, row.total_seconds) else {
        let x = scale.left + 10.0;
        let _ =
            writeln!(out, "<text class=\"none\" x=\"{x:.1}\" y=\"{baseline:.1}\">{}</text>", escaped(&row.remark()));
        return;
    };
    let (built, end) = (scale.place(build), scale.place(total));
    for (from, to, colour) in [(scale.left, built, BUILD), (built, end, UPDATES)] {
        if to > from {
            let _ = writeln!(
                out,
                "<rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BAR}\" fill=\"{colour}\"/>",
                middle - 0.5 * BAR,
                to - from
            );
        }
    }
    let label = match row.times_best {
        _ if row.state == State::Wrong => format!("{}, WRONG", time(total)),
        Some(times) if !is_best => format!("{}, {times:.2}×", time(total)),
        _ => format!("{}, best", time(total)),
    };
    let _ = writeln!(out, "<text{class} x=\"{:.1}\" y=\"{baseline:.1}\">{label}</text>", end + 10.0);
}

impl Scale {
    /// Reaches from zero, or from a power of ten below the shortest bar, to the longest.
    fn of(rows: &[Row], left: f64, right: f64) -> Self {
        let totals: Vec<f64> = rows.iter().filter_map(|row| row.total_seconds).collect();
        let most = totals.iter().copied().fold(0.0, f64::max).max(1e-9);
        let shortest = totals.iter().copied().fold(most, f64::min).max(1e-9);
        if most / shortest <= SPREAD {
            let step = round_step(most / 5.0);
            let ticks = (0..).map(|index| f64::from(index) * step).take_while(|tick| *tick <= most).collect();
            return Self { left, right, least: 0.0, most, ticks, is_logarithmic: false };
        }
        let first = rows.iter().filter_map(|row| row.build_seconds.filter(|_| row.total_seconds.is_some()));
        let first = first.fold(shortest, f64::min).max(1e-9);
        let power = (0.7 * first).log10().floor() as i32;
        let ticks = (power..).map(|power| 10_f64.powi(power)).take_while(|tick| *tick <= most).collect();
        Self { left, right, least: 10_f64.powi(power), most, ticks, is_logarithmic: true }
    }

    fn place(&self, seconds: f64) -> f64 {
        let share = if self.is_logarithmic {
            (seconds.max(self.least) / self.least).ln() / (self.most / self.least).ln()
        } else {
            seconds / self.most
        };
        self.left + share * (self.right - self.left)
    }
}

/// 1, 2 or 5 times a power of ten, not below `step`.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|round| *round >= step).unwrap_or(step)
}

/// As few digits as a round number needs.
fn tick_label(seconds: f64) -> String {
    let (value, unit) = match seconds {
        _ if seconds < 0.999e-6 => (seconds * 1e9, "ns"),
        _ if seconds < 0.999e-3 => (seconds * 1e6, "µs"),
        _ if seconds < 0.999 => (seconds * 1e3, "ms"),
        _ => (seconds, "s"),
    };
    if seconds == 0.0 { "0".into() } else { format!("{} {unit}", (value * 10.0).round() / 10.0) }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        for (step, wanted) in [(0.3, 0.5), (0.5, 0.5), (0.11, 0.2), (7.0, 10.0), (1e-6, 1e-6)] {
            assert!((round_step(step) / wanted - 1.0).abs() < 1e-9, "{step}");
        }
        assert_eq!(
            [0.0, 1e-6, 0.0005, 0.001, 0.0025, 1.0, 20.0].map(tick_label),
            ["0", "1 µs", "500 µs", "1 ms", "2.5 ms", "1 s", "20 s"]
        );
    }
}
