//! Calls of functions that are not compiled: the run-time system hands them to whoever called the program.

use super::proc::ProcPrinter;
use super::types::c_type;
use frit_ir::FailureKind;
use frit_ir::effect::{Callback, Cell};
use frit_ir::nest::{Arg, Array, Binding};

/// The number of a failed call among the kinds of failures.
fn kind() -> usize {
    FailureKind::ALL.iter().position(|&kind| kind == FailureKind::CallFailed).expect("all kinds are listed")
}

impl ProcPrinter<'_, '_> {
    /// A call. Arrays that it writes are copied first: it writes the copies.
    pub(super) fn callback(&mut self, call: &Callback, args: &[Arg], answers: &[Binding]) {
        let (scalars, written) = answers.split_at(call.scalars());
        self.open("{");
        let mut places = Vec::new();
        for (at, arg) in args.iter().enumerate() {
            let elem = call.args[at].0;
            places.push(match *arg {
                Arg::Scalar(ref value) => {
                    let value = self.expr_text(value);
                    format!("{{&({}){{{value}}}, NULL, 0, {}}}", c_type(elem), elem as usize)
                }
                Arg::Array(array) => {
                    let version = call.written.iter().position(|&other| other == at).map(|at| written[at]);
                    match version {
                        Some(Binding::Array(version)) => {
                            let (to, from) = (self.array_name(version).to_owned(), self.array_name(array).to_owned());
                            let bytes = self.bytes(version);
                            self.line(&format!("memcpy({to}, {from}, {bytes});"));
                            self.place(version)
                        }
                        _ => self.place(array),
                    }
                }
            });
        }
        let (name, given) = (self.fresh("answers"), self.fresh("places"));
        self.line(&format!("uint64_t {name}[{}] = {{0}};", scalars.len().max(1)));
        let list = if places.is_empty() { "{0}".to_owned() } else { places.join(", ") };
        self.line(&format!("const frit_place {given}[] = {{{list}}};"));
        let (count, results) = (places.len(), scalars.len());
        self.leave_unless_called(&format!("{}, {given}, {count}, {name}, {results}", call.number));
        for (at, answer) in scalars.iter().enumerate() {
            let Binding::Var(var) = *answer else { continue };
            if self.is_kept(var) {
                let target = self.var_name(var).to_owned();
                let (ty, part) = (c_type(self.proc.vars[var].scalar), self.fresh("answer"));
                self.line(&format!("{ty} {part};"));
                self.line(&format!("memcpy(&{part}, &{name}[{at}], sizeof {part});"));
                self.line(&format!("{target} = {part};"));
            }
        }
        self.close("}");
    }

    /// An array that is a result of the last call.
    pub(super) fn take(&mut self, cell: Cell, answer: &Binding) {
        let Binding::Array(array) = *answer else { panic!("a verified array among results is taken as one") };
        let place = self.place(array);
        self.open("{");
        let name = self.fresh("places");
        self.line(&format!("const frit_place {name}[] = {{{place}}};"));
        self.leave_unless_called(&format!("{}, {name}, 1, NULL, 0", -1 - cell.number as i64));
        self.close("}");
    }

    fn leave_unless_called(&mut self, what: &str) {
        let (site, leave) = (self.module.site(None, self.proc.span), self.leave());
        self.line(&format!("if (FRIT_UNLIKELY(frit_call_back(w, {site}, {}, {what}))) {leave}", kind()));
    }

    /// Where an array is, and its extents.
    fn place(&self, array: Array) -> String {
        let data = &self.proc.arrays[array];
        let extents: Vec<String> = (0..data.extents.len()).map(|axis| self.extent(array, axis).code).collect();
        let (name, rank, extents) = (self.array_name(array), extents.len(), extents.join(", "));
        format!("{{(void *){name}, (const int64_t[]){{{extents}}}, {rank}, {}}}", data.elem as usize)
    }
}
