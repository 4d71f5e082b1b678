// SPDX-License-Identifier: GPL-2.0

//! Writes many mutants into one source file, each enabled by a number at run time.
//!
//! usage: switch FILE. Standard input has the mutants as cargo-mutants lists them, a line each: number, line,
//! column, genre and replacement. The changed source is printed; lines keep their numbers. Standard error has the
//! numbers of the mutants that are not in it: constants and constant functions are left alone, as the compiler
//! evaluates them, and so are changes that have no form as an expression. A build of their own tests these.

use proc_macro2::Span;
use std::{
    collections::HashMap,
    io::Read, //
};
use syn::{
    spanned::Spanned,
    visit::{
        self,
        Visit, //
    },
    BinOp, UnOp,
};

/// The mutants at one place: numbers and replacements.
type Mutants = Vec<(u32, String)>;

/// Texts to insert. At one place the ends of expressions come before the beginnings of others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    End,
    Begin,
}

struct Switches {
    /// By line, column and genre.
    mutants: HashMap<(usize, usize, String), Mutants>,
    /// Replaced bytes, with the text.
    edits: Vec<(usize, Order, usize, String)>,
}

fn on(number: u32) -> String {
    format!("crate::mutant::on({number})")
}

/// A chain of conditions: the first mutant that is on, or the original.
fn choose(mutants: &Mutants, original: &str, changed: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    for (number, replacement) in mutants {
        text += &format!("if {} {{ {} }} else ", on(*number), changed(replacement));
    }
    format!("{text}{{ {original} }}")
}

impl Switches {
    fn take(&mut self, span: Span, genre: &str) -> Option<Mutants> {
        let start = span.start();
        self.mutants
            .remove(&(start.line, start.column + 1, genre.into()))
    }

    fn begin(&mut self, span: Span, text: String) {
        let at = span.byte_range().start;
        self.edits.push((at, Order::Begin, at, text));
    }

    fn end(&mut self, span: Span, text: String) {
        let at = span.byte_range().end;
        self.edits.push((at, Order::End, at, text));
    }

    fn replace(&mut self, span: Span, text: &str) {
        let range = span.byte_range();
        self.edits
            .push((range.start, Order::Begin, range.end, text.into()));
    }

    fn body(&mut self, block: &syn::Block) {
        let Some(first) = block.stmts.first() else {
            return;
        };
        for (number, replacement) in self.take(first.span(), "FnValue").unwrap_or_default() {
            self.begin(
                first.span(),
                format!("if {} {{ return {replacement}; }} ", on(number)),
            );
        }
    }

    fn apply(mut self, source: &str) -> String {
        self.edits.sort_by_key(|edit| (edit.0, edit.1));
        let (mut text, mut done) = (String::new(), 0);
        for (start, _, end, new) in &self.edits {
            text += &source[done..*start];
            text += new;
            done = *end;
        }
        text + &source[done..]
    }
}

impl<'ast> Visit<'ast> for Switches {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if item.sig.constness.is_none() {
            self.body(&item.block);
            visit::visit_block(self, &item.block);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.sig.constness.is_none() {
            self.body(&item.block);
            visit::visit_block(self, &item.block);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.body(block);
            visit::visit_block(self, block);
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_variant(&mut self, _: &'ast syn::Variant) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        use BinOp::*;
        let op = binary.op.span();
        let Some(mutants) = self.take(op, "BinaryOperator") else {
            return visit::visit_expr_binary(self, binary);
        };
        let original = op.source_text().unwrap_or_default();
        let (begin, middle, end) = match binary.op {
            // The second operand is evaluated if it decides, in the mutant if it does not.
            And(_) | Or(_) => {
                let or = matches!(binary.op, Or(_));
                let number = mutants[0].0;
                (
                    "(match ".into(),
                    format!("{{ mutant_l => if mutant_l != ({or} != {}) {{", on(number)),
                    "} else { mutant_l } })".into(),
                )
            }
            Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_) => (
                "(match (&(".into(),
                "), &(".into(),
                format!(
                    ")) {{ (mutant_l, mutant_r) => {} }})",
                    choose(
                        &mutants,
                        &format!("*mutant_l {original} *mutant_r"),
                        |op| format!("*mutant_l {op} *mutant_r")
                    )
                ),
            ),
            Add(_) | Sub(_) | Mul(_) | Div(_) | Rem(_) | Shl(_) | Shr(_) | BitAnd(_) | BitOr(_)
            | BitXor(_) => (
                "(match (".into(),
                ", ".into(),
                format!(
                    ") {{ (mutant_l, mutant_r) => {} }})",
                    choose(&mutants, &format!("mutant_l {original} mutant_r"), |op| {
                        format!("mutant_l {op} mutant_r")
                    })
                ),
            ),
            // Assignments.
            _ => (
                "(match (&mut (".into(),
                "), ".into(),
                format!(
                    ") {{ (mutant_l, mutant_r) => {} }})",
                    choose(&mutants, &format!("*mutant_l {original} mutant_r"), |op| {
                        format!("*mutant_l {op} mutant_r")
                    })
                ),
            ),
        };
        self.begin(binary.span(), begin);
        self.replace(op, &middle);
        visit::visit_expr_binary(self, binary);
        self.end(binary.span(), end);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        let op = unary.op.span();
        let mutants = match unary.op {
            UnOp::Not(_) | UnOp::Neg(_) => self.take(op, "UnaryOperator"),
            _ => None,
        };
        let Some(mutants) = mutants else {
            return visit::visit_expr_unary(self, unary);
        };
        let original = op.source_text().unwrap_or_default();
        self.replace(op, "(match ");
        visit::visit_expr_unary(self, unary);
        self.end(
            unary.span(),
            format!(
                " {{ mutant_l => {} }})",
                choose(&mutants, &format!("{original}mutant_l"), |_| "mutant_l"
                    .into())
            ),
        );
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            if let Some(mutants) = self.take(guard.span(), "MatchArmGuard") {
                let mut text = String::new();
                for (number, replacement) in mutants {
                    text += &match replacement.as_str() {
                        "true" => format!("{} || ", on(number)),
                        _ => format!("!{} && ", on(number)),
                    };
                }
                self.begin(guard.span(), format!("{text}("));
                self.visit_expr(guard);
                self.end(guard.span(), ")".into());
            } else {
                self.visit_expr(guard);
            }
        } else if let Some(mutants) = self.take(arm.span(), "MatchArm") {
            self.end(arm.pat.span(), format!(" if !{}", on(mutants[0].0)));
        }
        self.visit_expr(&arm.body);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: switch FILE")?;
    let source = std::fs::read_to_string(&path)?;
    let mut list = String::new();
    std::io::stdin().read_to_string(&mut list)?;
    let mut switches = Switches {
        mutants: HashMap::new(),
        edits: Vec::new(),
    };
    for line in list.lines() {
        let mut words = line.splitn(5, ' ');
        let mut word = || words.next().ok_or("a mutant has five words");
        let (number, line, column) = (word()?.parse()?, word()?.parse()?, word()?.parse()?);
        let place = (line, column, word()?.to_string());
        switches
            .mutants
            .entry(place)
            .or_default()
            .push((number, word()?.to_string()));
    }
    switches.visit_file(&syn::parse_file(&source)?);
    for (number, _) in switches.mutants.values().flatten() {
        eprintln!("{number}");
    }
    print!("{}", switches.apply(&source));
    Ok(())
}
