//! A match on a pair of shapes lists every pair. With a catch-all arm a new shape would compile before anyone has
//! decided what it does to the others.
//!
//! Such a match has a scrutinee `(a, b)` and arms that name variants of `Shape` or `ShapeKind`. A side of the pair
//! counts as a shape unless some arm matches it with something else, such as `true` or `Some(_)`.

use proc_macro2::Span;
use std::path::Path;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ExprMatch, Pat};

/// Every catch-all in a match on a pair of shapes, in the Rust files among `files`.
pub(crate) fn findings(root: &Path, files: &[String]) -> Vec<String> {
    super::in_rust_files(root, files, in_file)
}

fn in_file(file: &syn::File) -> Vec<(usize, String)> {
    let mut finder = Finder { self_is_a_shape: false, found: Vec::new() };
    finder.visit_file(file);
    finder.found
}

struct Finder {
    self_is_a_shape: bool,
    found: Vec<(usize, String)>,
}

/// What one side of a pair says about that side.
enum Side {
    /// It names a shape.
    Shape,
    /// It matches a value of another type.
    Other,
    /// It matches anything.
    CatchAll(Span),
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let outer = self.self_is_a_shape;
        self.self_is_a_shape = matches!(&*item.self_ty, syn::Type::Path(path)
            if path.path.segments.last().is_some_and(|last| is_shape(&last.ident)));
        visit::visit_item_impl(self, item);
        self.self_is_a_shape = outer;
    }

    fn visit_expr_match(&mut self, found: &'ast ExprMatch) {
        if is_pair(&found.expr) {
            self.pair_match(found);
        }
        visit::visit_expr_match(self, found);
    }
}

impl Finder {
    fn pair_match(&mut self, found: &ExprMatch) {
        let mut whole = Vec::new();
        let mut sides: [Vec<Side>; 2] = [Vec::new(), Vec::new()];
        for pattern in found.arms.iter().flat_map(|arm| alternatives(&arm.pat)) {
            match pattern {
                Pat::Tuple(pair) => {
                    let mut elements = pair.elems.iter();
                    for side in &mut sides {
                        // After `..` there may be nothing left: that side matches anything.
                        let element = elements.next().map(alternatives);
                        side.extend(element.into_iter().flatten().map(|element| self.side(element)));
                    }
                }
                other => whole.extend(catch_all(other)),
            }
        }
        if !sides.iter().flatten().any(|side| matches!(side, Side::Shape)) {
            return;
        }
        let mut spans = whole;
        for side in sides.iter().filter(|side| !side.iter().any(|pattern| matches!(pattern, Side::Other))) {
            spans.extend(side.iter().filter_map(|pattern| match pattern {
                Side::CatchAll(span) => Some(*span),
                Side::Shape | Side::Other => None,
            }));
        }
        let mut lines: Vec<usize> = spans.iter().map(|span| span.start().line).collect();
        lines.sort_unstable();
        lines.dedup();
        self.found.extend(
            lines.into_iter().map(|line| (line, "a catch-all in a match on two shapes; list the pairs".into())),
        );
    }

    fn side(&self, pattern: &Pat) -> Side {
        if let Some(span) = catch_all(pattern) {
            return Side::CatchAll(span);
        }
        match pattern {
            Pat::TupleStruct(pattern) => self.named(&pattern.path),
            Pat::Struct(pattern) => self.named(&pattern.path),
            Pat::Path(pattern) => self.named(&pattern.path),
            _ => Side::Other,
        }
    }

    fn named(&self, path: &syn::Path) -> Side {
        let of = path.segments.iter().rev().nth(1);
        let is_variant = of.is_some_and(|of| is_shape(&of.ident) || (of.ident == "Self" && self.self_is_a_shape));
        if is_variant { Side::Shape } else { Side::Other }
    }
}

fn is_shape(name: &proc_macro2::Ident) -> bool {
    name == "Shape" || name == "ShapeKind"
}

fn is_pair(scrutinee: &Expr) -> bool {
    match scrutinee {
        Expr::Tuple(tuple) => tuple.elems.len() == 2,
        Expr::Paren(inner) => is_pair(&inner.expr),
        Expr::Reference(inner) => is_pair(&inner.expr),
        _ => false,
    }
}

/// The patterns that `|` separates, without guards, parentheses, `&` and `name @`.
fn alternatives(pattern: &Pat) -> Vec<&Pat> {
    match pattern {
        Pat::Or(or) => or.cases.iter().flat_map(alternatives).collect(),
        Pat::Guard(guarded) => alternatives(&guarded.pat),
        Pat::Paren(inner) => alternatives(&inner.pat),
        Pat::Reference(inner) => alternatives(&inner.pat),
        Pat::Ident(syn::PatIdent { subpat: Some((_, inner)), .. }) => alternatives(inner),
        other => vec![other],
    }
}

/// Where `pattern` stands if it matches anything: `_`, `..` or a new name. A capitalised name is a constant.
fn catch_all(pattern: &Pat) -> Option<Span> {
    match pattern {
        Pat::Wild(_) | Pat::Rest(_) => Some(pattern.span()),
        Pat::Ident(binding) if binding.ident.to_string().starts_with(|first: char| !first.is_uppercase()) => {
            Some(pattern.span())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of findings when `arms` start on line 2.
    fn lines(arms: &str) -> Vec<usize> {
        in_source(&format!("fn f() {{ match (a, b) {{\n{arms}\n}} }}"))
    }

    fn in_source(source: &str) -> Vec<usize> {
        let file = syn::parse_file(source).expect("the snippet is Rust");
        in_file(&file).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn a_full_list_passes() {
        assert_eq!(
            lines(
                "(Shape::Sphere(_), Shape::Sphere(b)) => 1,\n\
                 (Shape::Sphere(_), Shape::Cuboid { .. }) | (Shape::Cuboid { .. }, Shape::Sphere(_)) => 2,\n\
                 (Shape::Cuboid { .. }, shape::Shape::Cuboid { half, .. }) => 3,"
            ),
            []
        );
        assert_eq!(lines("(ShapeKind::Sphere, ShapeKind::Sphere | ShapeKind::Cuboid) => 1,"), []);
    }

    #[test]
    fn a_catch_all_arm_is_found() {
        let first = "(Shape::Sphere(_), Shape::Sphere(_)) => 1,\n";
        for last in ["_", "other", "(_, _)", "(a, b)", "_ if true", "(..)", "_ | (Shape::Cone(_), Shape::Cone(_))"] {
            assert_eq!(lines(&format!("{first}{last} => 2,")), [3], "{last}");
        }
    }

    #[test]
    fn a_catch_all_on_one_side_is_found() {
        for arm in [
            "(Shape::Sphere(_), _)",
            "(_, Shape::Sphere(_))",
            "(shape, Shape::Sphere(_))",
            "(Shape::Sphere(_), ..)",
            "(ShapeKind::Sphere, _)",
            "(Shape::Sphere(_), (Shape::Cone(_) | _))",
            "(Shape::Sphere(_), b @ _)",
            "(&Shape::Sphere(_), &_)",
            "(Shape::Sphere(_), _) if guard",
        ] {
            assert_eq!(lines(&format!("{arm} => 1,")), [2], "{arm}");
        }
    }

    #[test]
    fn self_is_a_shape_inside_its_own_impl_only() {
        let source =
            |of: &str| format!("impl {of} {{ fn f() {{ match &(a, b) {{ (Self::A(_), Self::B) => 1,\n_ => 2 }} }} }}");
        assert_eq!(in_source(&source("Shape")), [2]);
        assert_eq!(in_source(&source("From<A> for ShapeKind")), [2]);
        assert_eq!(in_source(&source("Simplex")), []);
    }

    #[test]
    fn other_matches_are_left_alone() {
        assert_eq!(lines("(Some(_), _) => 1, _ => 2,"), []);
        assert_eq!(in_source("fn f() { match shape { Shape::Sphere(_) => 1, _ => 2 } }"), []);
        // The second side is a flag, which may be anything; a catch-all for the shape may not.
        assert_eq!(lines("(Shape::Sphere(_), true) => 1,\n(Shape::Sphere(_), _) => 2,"), []);
        assert_eq!(lines("(Shape::Sphere(_), true) => 1,\n(_, false) => 2,"), [3]);
        assert_eq!(lines("(SPHERE, Shape::Sphere(_)) => 1,"), []);
    }
}
