//! Fused trees from a small text form: `(S0[i] (S1[i + 1, j] S2[-j, 2 * i]))`. Parentheses are loops, `(*` is a loop whose iterations are
//! independent; a statement says for each loop round it at which time it runs, in the variables of its loops.

use frit_scop::tree::{Fused, FusedLoop, FusedTree, Member};
use frit_scop::{Scop, Statement};
use frit_support::Index;

/// The tree that a text describes.
pub fn tree(scop: &Scop, text: &str) -> FusedTree {
    let mut reader = Reader { scop, rest: text.trim() };
    let mut body = Vec::new();
    while !reader.rest.is_empty() {
        body.push(reader.fused(0).0);
    }
    FusedTree { body }
}

struct Reader<'a> {
    scop: &'a Scop,
    rest: &'a str,
}

impl Reader<'_> {
    /// A loop or statement, and how the statements in it take part in the loops round it.
    fn fused(&mut self, depth: usize) -> (Fused, Vec<Vec<Member>>) {
        if let Some(rest) = self.rest.strip_prefix('(') {
            let rest = rest.trim_start();
            let is_parallel = rest.starts_with('*');
            self.rest = rest.trim_start_matches('*').trim_start();
            let (mut body, mut all) = (Vec::new(), Vec::new());
            while !self.rest.starts_with(')') {
                let (fused, members) = self.fused(depth + 1);
                body.push(fused);
                all.extend(members);
            }
            self.rest = self.rest[1..].trim_start();
            let mut members: Vec<Member> = all.iter().map(|members| members[depth].clone()).collect();
            members.sort_by_key(|member| member.statement);
            return (Fused::Loop(FusedLoop { members, body, is_parallel }), all);
        }
        let end =
            self.rest.find(']').map_or_else(|| self.rest.find([' ', ')']).unwrap_or(self.rest.len()), |at| at + 1);
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        let (name, times) = text.trim_end_matches(']').split_once('[').unwrap_or((text, ""));
        let statement = Statement::new(name.strip_prefix('S').unwrap().parse().unwrap());
        let times: Vec<&str> = times.split(',').map(str::trim).filter(|time| !time.is_empty()).collect();
        assert_eq!(times.len(), depth, "{text}: a time for each loop");
        (Fused::Statement(statement), vec![times.iter().map(|time| self.member(statement, time)).collect()])
    }

    fn member(&self, statement: Statement, time: &str) -> Member {
        let time = time.replace(' ', "");
        let start = time.find(char::is_alphabetic).expect("a variable");
        let end = time[start..].find(['+', '-']).map_or(time.len(), |at| start + at);
        let scale = match time[..start].trim_end_matches('*') {
            "" => 1,
            "-" => -1,
            scale => scale.parse().unwrap(),
        };
        let shift = if end == time.len() { 0 } else { time[end..].parse().unwrap() };
        let loops = &self.scop.statements[statement].loops;
        let of = |source: &&frit_scop::Loop| self.scop.loops[**source].name == time[start..end];
        let source = *loops.iter().find(of).unwrap_or_else(|| panic!("{statement} has no loop {}", &time[start..end]));
        let dimension = loops.iter().position(|of| *of == source).unwrap();
        Member { statement, source, dimension, scale, offset: Vec::new(), shift }
    }
}
