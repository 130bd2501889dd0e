//! What a run has seen, by pair: cases, worst errors, and the failures with what makes them again.

use std::collections::BTreeMap;

/// At most so many failures of one sort are kept in full.
const KEPT: usize = 3;

#[derive(Default)]
pub struct Tally {
    rows: BTreeMap<String, BTreeMap<&'static str, Entry>>,
    columns: Vec<&'static str>,
    failures: BTreeMap<String, (usize, Vec<String>)>,
}

#[derive(Default)]
struct Entry {
    count: usize,
    worst: Option<f64>,
    case: String,
}

impl Tally {
    /// Counts a case under a heading.
    pub fn count(&mut self, pair: &str, column: &'static str) {
        self.entry(pair, column).count += 1;
    }

    /// Notes an error; `case` makes the worst one again.
    pub fn error(&mut self, pair: &str, column: &'static str, value: f64, case: impl FnOnce() -> String) {
        let entry = self.entry(pair, column);
        entry.count += 1;
        if entry.worst.is_none_or(|worst| value > worst || value.is_nan()) {
            entry.worst = Some(value);
            entry.case = if value > 1e-7 { case() } else { String::new() };
        }
    }

    /// Notes a failure.
    pub fn fail(&mut self, sort: &str, case: impl FnOnce() -> String) {
        let (count, kept) = self.failures.entry(sort.to_owned()).or_default();
        *count += 1;
        if kept.len() < KEPT {
            kept.push(case());
        }
    }

    /// How often a heading was counted, over all pairs.
    pub fn total(&self, column: &str) -> usize {
        self.rows.values().filter_map(|row| row.get(column)).map(|entry| entry.count).sum()
    }

    fn entry(&mut self, pair: &str, column: &'static str) -> &mut Entry {
        if !self.columns.contains(&column) {
            self.columns.push(column);
        }
        if !self.rows.contains_key(pair) {
            self.rows.insert(pair.to_owned(), BTreeMap::new());
        }
        self.rows.get_mut(pair).unwrap().entry(column).or_default()
    }

    /// Prints the table, and the failures if there are any.
    pub fn report(&self, title: &str) {
        println!("{title}");
        for (pair, row) in &self.rows {
            let cells = self.columns.iter().filter_map(|column| {
                let entry = row.get(column)?;
                Some(match entry.worst {
                    Some(worst) => format!("{column} {worst:.1e} of {}", entry.count),
                    None => format!("{column} {}", entry.count),
                })
            });
            println!("  {pair}: {}", cells.collect::<Vec<_>>().join("; "));
        }
        if std::env::var("CAROM_WORST").is_ok() {
            for (pair, row) in &self.rows {
                for (column, entry) in row.iter().filter(|(_, entry)| !entry.case.is_empty()) {
                    println!("  worst {pair} {column}: {}", entry.case);
                }
            }
        }
        for (sort, (count, kept)) in &self.failures {
            println!("FAILED {count} times: {sort}");
            kept.iter().for_each(|case| println!("    {case}"));
        }
    }

    /// Prints the table and fails if there was a failure.
    pub fn conclude(&self, title: &str) {
        self.report(title);
        let sorts: Vec<String> = self.failures.iter().map(|(sort, (count, _))| format!("{sort} ({count})")).collect();
        assert!(sorts.is_empty(), "{title}: {}", sorts.join(", "));
    }
}
