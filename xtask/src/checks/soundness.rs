//! The library must not panic or print: its failures are values. Clippy's lints say the same of most calls; this check
//! also looks inside macro arguments, and does not bow to an `allow`.

use proc_macro2::{TokenStream, TokenTree};
use std::path::Path;
use syn::visit::{self, Visit};

const CALLS: [&str; 4] = ["unwrap", "expect", "unwrap_err", "expect_err"];
const MACROS: [&str; 12] = [
    "panic",
    "todo",
    "unimplemented",
    "unreachable",
    "assert",
    "assert_eq",
    "assert_ne",
    "print",
    "println",
    "eprint",
    "eprintln",
    "dbg",
];

/// Every call that panics or prints, outside tests, in the Rust files among `files`.
pub(crate) fn findings(root: &Path, files: &[String]) -> Vec<String> {
    let test_files = test_only_files(root, files);
    let files: Vec<String> = files.iter().filter(|name| !is_below(name, &test_files)).cloned().collect();
    super::in_rust_files(root, &files, in_file)
}

fn in_file(file: &syn::File) -> Vec<(usize, String)> {
    let mut finder = Finder::default();
    if !test_only(&file.attrs) {
        finder.visit_file(file);
    }
    finder.found
}

#[derive(Default)]
struct Finder {
    found: Vec<(usize, String)>,
}

impl Finder {
    fn call(&mut self, name: &proc_macro2::Ident) {
        if CALLS.iter().any(|call| name == call) {
            self.found.push((name.span().start().line, format!("`{name}` can panic; return an error")));
        }
    }

    fn macro_call(&mut self, name: &proc_macro2::Ident) {
        if MACROS.iter().any(|forbidden| name == forbidden) {
            self.found.push((name.span().start().line, format!("`{name}!` has no place in the library")));
        }
    }

    /// A macro's arguments are bare tokens: `.unwrap`, `::unwrap` and `panic!` are told by their neighbours.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is_sign = |at: usize, signs: &[char]| match tokens.get(at) {
            Some(TokenTree::Punct(sign)) => signs.contains(&sign.as_char()),
            _ => false,
        };
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(name) if is_sign(at + 1, &['!']) => self.macro_call(name),
                TokenTree::Ident(name) if at > 0 && is_sign(at - 1, &['.', ':']) => self.call(name),
                TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Finder {
    // What a constant asserts is checked when it is compiled; no input reaches it.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !test_only(item_attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !test_only(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.call(&call.method);
        visit::visit_expr_method_call(self, call);
    }

    /// `.map(Option::unwrap)`, and `Option::unwrap(x)`.
    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        if let (Some(last), 2..) = (path.path.segments.last(), path.path.segments.len()) {
            self.call(&last.ident);
        }
        visit::visit_expr_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Some(last) = call.path.segments.last() {
            self.macro_call(&last.ident);
        }
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }
}

fn item_attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether this is compiled for tests alone: `#[cfg(test)]` or `#[cfg(all(.., test, ..))]`.
fn test_only(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        list.path.is_ident("cfg") && requires_test(&list.tokens)
    })
}

fn requires_test(condition: &TokenStream) -> bool {
    let Ok(meta) = syn::parse2::<syn::Meta>(condition.clone()) else { return false };
    match meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) if list.path.is_ident("all") => {
            let parts = syn::punctuated::Punctuated::<TokenStreamUntilComma, syn::Token![,]>::parse_terminated;
            syn::parse::Parser::parse2(parts, list.tokens)
                .is_ok_and(|parts| parts.iter().any(|part| requires_test(&part.0)))
        }
        syn::Meta::List(_) | syn::Meta::NameValue(_) => false,
    }
}

struct TokenStreamUntilComma(TokenStream);

impl syn::parse::Parse for TokenStreamUntilComma {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
        let mut tokens = TokenStream::new();
        while !input.is_empty() && !input.peek(syn::Token![,]) {
            tokens.extend([input.parse::<TokenTree>()?]);
        }
        Ok(Self(tokens))
    }
}

/// The modules that a parent declares with `#[cfg(test)] mod name;`, as paths without `.rs`.
fn test_only_files(root: &Path, files: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for name in files.iter().filter(|name| name.ends_with(".rs")) {
        let Ok(text) = std::fs::read_to_string(root.join(name)) else { continue };
        let Ok(file) = syn::parse_file(&text) else { continue };
        let stem = name.trim_end_matches(".rs");
        let folder = match stem.rsplit_once('/') {
            Some((folder, "lib" | "main" | "mod")) => folder,
            _ => stem,
        };
        for item in &file.items {
            if let syn::Item::Mod(module) = item
                && module.content.is_none()
                && test_only(&module.attrs)
            {
                found.push(format!("{folder}/{}", module.ident));
            }
        }
    }
    found
}

fn is_below(name: &str, modules: &[String]) -> bool {
    modules.iter().any(|module| name.strip_prefix(module.as_str()).is_some_and(|rest| rest.starts_with(['.', '/'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(source: &str) -> Vec<usize> {
        let file = syn::parse_file(source).expect("the snippet is Rust");
        in_file(&file).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn calls_that_panic_are_found_where_they_stand() {
        let source = "fn f(x: Option<u8>) -> u8 {\n    let y = x.unwrap();\n    x\n        .expect(\"y\")\n}\n";
        assert_eq!(lines(source), [2, 4]);
        assert_eq!(lines("fn f(x: Vec<Option<u8>>) { x.into_iter().map(Option::unwrap); }"), [1]);
        assert_eq!(lines("fn f(x: Result<u8, u8>) { Result::expect_err(x, \"\"); }"), [1]);
    }

    #[test]
    fn macros_are_found_also_inside_the_arguments_of_others() {
        for name in MACROS {
            assert_eq!(lines(&format!("fn f() {{\n{name}!();\n}}")), [2], "{name}");
        }
        assert_eq!(lines("fn f() { let x = std::panic!(\"no\"); }"), [1]);
        assert_eq!(lines("fn f(x: Option<u8>) -> Vec<u8> {\n vec![\n  x.unwrap(), (x.expect(\"\"))]\n}"), [3, 3]);
        assert_eq!(lines("macro_rules! m { ($x:expr) => { panic!(\"no {}\", $x) } }"), [1]);
    }

    #[test]
    fn tests_may_panic() {
        assert_eq!(lines("#[cfg(test)]\nmod tests { fn f() { panic!() } }"), []);
        assert_eq!(lines("#[cfg(all(test, feature = \"serde\"))]\nmod tests { fn f() { panic!() } }"), []);
        assert_eq!(lines("struct A; impl A {\n#[cfg(test)]\nfn f() { None::<u8>.unwrap(); } }"), []);
        assert_eq!(lines("#![cfg(test)]\nfn f() { None::<u8>.unwrap(); }"), []);
    }

    #[test]
    fn what_is_also_built_without_tests_is_not_excused() {
        assert_eq!(lines("#[cfg(not(test))]\nmod a { fn f() { panic!() } }"), [2]);
        assert_eq!(lines("#[cfg(any(test, feature = \"x\"))]\nmod a { fn f() { panic!() } }"), [2]);
        assert_eq!(lines("#[cfg(all(not(test), unix))]\nmod a { fn f() { panic!() } }"), [2]);
        assert_eq!(lines("#[allow(clippy::unwrap_used)]\nfn f(x: Option<u8>) { x.unwrap(); }"), [2]);
    }

    #[test]
    fn harmless_neighbours_pass() {
        assert_eq!(lines("fn f(x: Option<u8>) -> u8 { x.unwrap_or(1).max(x.unwrap_or_default()) }"), []);
        assert_eq!(
            lines("/// ```\n/// x.unwrap();\n/// ```\nfn f() { debug_assert!(true); write!(f, \"panic!\"); }"),
            []
        );
        assert_eq!(lines("fn unwrap(unwrap: u8) -> u8 { unwrap }"), []);
    }

    #[test]
    fn a_module_file_declared_for_tests_is_left_out() {
        let modules = ["src/shape/tests".to_string()];
        assert!(is_below("src/shape/tests.rs", &modules) && is_below("src/shape/tests/deep.rs", &modules));
        assert!(!is_below("src/shape/tests_of_time.rs", &modules));
    }
}
