//! The kinds of nests: each adds statements to the region, and perhaps an array or a scalar that later ones read.

use super::{Array, Axis, FORWARD, Generator, Home, Item, Range, Var, Walk, plus};

impl Generator {
    /// A nest of any kind.
    pub(super) fn nest(&mut self) {
        match self.random.below(20) {
            0 if self.random.chance(40) => self.steps(),
            0..8 => self.map(None, false),
            8..10 => self.map(None, true),
            10 => self.split_definition(),
            11 => self.stretched_definition(),
            12 => self.recurrence(),
            13..15 => self.row_sums(),
            15 => self.sum(),
            16 => self.filter(),
            17 => self.triangle(),
            _ => self.update(),
        }
    }

    /// Every element of an array from the elements of others.
    pub(super) fn map(&mut self, first: Option<usize>, is_output: bool) {
        let first = first.unwrap_or_else(|| self.source());
        let axes = self.axes(first);
        let mut vars = self.vars(&axes);
        let reads = self.reads(&mut vars, Some(first));
        let value = self.value(&reads, &vars);
        let target = if is_output { self.output(&mut vars) } else { self.reused(&mut vars) };
        self.disagree(&mut vars);
        let (elem, place) = target.unwrap_or_else(|| self.fresh(&vars));
        let stored = self.stored(elem, &value);
        let mut items = match self.random.below(12) {
            0 => {
                let condition = self.condition(&vars, &reads);
                let other = self.value(&reads[..reads.len().min(1)], &vars);
                let other = self.stored(elem, &other);
                vec![
                    Item::Block(format!("if ({condition})"), vec![Item::Line(format!("{place} = {stored};"))]),
                    Item::Block("else".into(), vec![Item::Line(format!("{place} = {other};"))]),
                ]
            }
            1 => {
                let name = self.name("v");
                let ty = if self.is_float { "float" } else { "unsigned" };
                let value = self.value(std::slice::from_ref(&name), &vars);
                let again = self.stored(elem, &value);
                let declared = Item::Line(format!("{ty} {name} = ({ty})({stored});"));
                vec![declared, Item::Line(format!("{place} = {again};"))]
            }
            _ => vec![Item::Line(format!("{place} = {stored};"))],
        };
        if self.random.chance(12) {
            // A sum on the way.
            let sum = self.new_sum();
            items.push(Item::Line(format!("{sum} += {place};")));
            self.scalars.push(sum);
        }
        let mut order: Vec<usize> = (0..vars.len()).collect();
        if vars.len() > 1 && self.random.chance(15) {
            order.swap(0, 1);
        }
        let vars: Vec<Var> = order.into_iter().map(|at| vars[at].clone()).collect();
        let walks = self.walks(&vars);
        let nest = self.wrap(&vars, &walks, items);
        self.body.push(nest);
    }

    /// An element of an output for each iteration, if there is one that suits.
    fn output(&mut self, vars: &mut [Var]) -> Option<(&'static str, String)> {
        let outputs: Vec<usize> =
            (0..self.arrays.len()).filter(|a| self.arrays[*a].home == Home::Param { is_output: true }).collect();
        let array = self.random.of(&outputs);
        self.place(vars, array)
    }

    /// An element of an array that there is, for each iteration: of an old temporary, now and then.
    fn reused(&mut self, vars: &mut [Var]) -> Option<(&'static str, String)> {
        let made: Vec<usize> = (0..self.arrays.len()).filter(|a| self.is_temporary(*a)).collect();
        if made.is_empty() || !self.random.chance(12) {
            return None;
        }
        let array = self.random.of(&made);
        self.place(vars, array)
    }

    fn place(&mut self, vars: &mut [Var], array: usize) -> Option<(&'static str, String)> {
        let whole: Vec<Range> = self.arrays[array].slack.iter().map(|slack| Range { low: 0, high: *slack }).collect();
        let is_shifted = self.random.chance(25);
        let subscripts = self.subscripts(vars, array, &whole, is_shifted, None)?;
        Some((self.arrays[array].elem, self.arrays[array].element(&subscripts)))
    }

    /// An element of a new array for each iteration.
    fn fresh(&mut self, vars: &[Var]) -> (&'static str, String) {
        let elem = self.elem();
        let axes = vars.iter().map(|var| var.axis).collect();
        let array = self.temporary(elem, axes, vars.iter().map(|var| var.range).collect());
        let subscripts: Vec<String> = vars.iter().map(|var| var.name.to_string()).collect();
        (elem, self.arrays[array].element(&subscripts))
    }

    /// A new array by two or three nests, each of which visits every second or third element.
    fn split_definition(&mut self) {
        let first = self.source();
        let axes = self.axes(first);
        let mut vars = self.vars(&axes);
        let step = self.random.between(2, 3);
        let mut values = Vec::new();
        for _ in 0..step {
            let reads = self.reads(&mut vars, Some(first));
            values.push(self.value(&reads, &vars));
        }
        let (elem, place) = self.fresh(&vars);
        for (start, value) in values.iter().enumerate() {
            let stored = self.stored(elem, value);
            let mut walks = vec![FORWARD; vars.len()];
            walks[0] = Walk { step, start: start as i64, is_reversed: false };
            let nest = self.wrap(&vars, &walks, vec![Item::Line(format!("{place} = {stored};"))]);
            self.body.push(nest);
        }
    }

    /// A new array with two elements for each iteration, by one nest or by two.
    fn stretched_definition(&mut self) {
        let first = self.source();
        let axes = self.axes(first);
        let mut vars = self.vars(&axes);
        let mut values = Vec::new();
        for _ in 0..2 {
            let reads = self.reads(&mut vars, Some(first));
            values.push(self.value(&reads, &vars));
        }
        let mut axes: Vec<Axis> = vars.iter().map(|var| var.axis).collect();
        let mut ready: Vec<Range> = vars.iter().map(|var| var.range).collect();
        axes[0].scale *= 2;
        ready[0] = Range { low: 2 * ready[0].low, high: 2 * ready[0].high };
        let elem = self.elem();
        let array = self.temporary(elem, axes, ready);
        let walks = vec![FORWARD; vars.len()];
        let mut lines = Vec::new();
        for (odd, value) in values.iter().enumerate() {
            let mut subscripts: Vec<String> = vars.iter().map(|var| var.name.to_string()).collect();
            subscripts[0] = plus(&format!("2 * {}", vars[0].name), odd as i64);
            let stored = self.stored(elem, value);
            lines.push(Item::Line(format!("{} = {stored};", self.arrays[array].element(&subscripts))));
        }
        if self.random.chance(50) {
            let nest = self.wrap(&vars, &walks, lines);
            self.body.push(nest);
        } else {
            for line in lines {
                let nest = self.wrap(&vars, &walks, vec![line]);
                self.body.push(nest);
            }
        }
    }

    /// A new array each of whose elements needs the one before, or, on the way back, the one behind.
    fn recurrence(&mut self) {
        let first = self.source();
        let axes = self.axes(first);
        let mut vars = self.vars(&axes);
        let reads = self.reads(&mut vars, Some(first));
        let value = self.value(&reads, &vars);
        let (elem, place) = self.fresh(&vars);
        let (last, outer) = vars.split_last().expect("arrays have dimensions");
        let walks = vec![FORWARD; outer.len()];
        let is_float = self.is_float;
        let decayed = |text: &str| if is_float { format!("0.5f * {text}") } else { format!("({text} >> 1)") };
        let mut items = Vec::new();
        if self.random.chance(50) {
            let array = self.arrays.last().expect("there is the new array");
            let names: Vec<String> = outer.iter().map(|var| var.name.to_string()).collect();
            let at = |subscript: String| array.element(&[names.clone(), vec![subscript]].concat());
            let (start, before) = (at(last.range.low.to_string()), at(format!("{} - 1", last.name)));
            let value = format!("{} + {value}", decayed(&before));
            let initial = Item::Line(format!("{start} = {};", if self.is_float { "0.25f" } else { "3" }));
            let stored = self.stored(elem, &value);
            let inner = Var { range: Range { low: last.range.low + 1, ..last.range }, ..last.clone() };
            let inner = Item::Block(self.header(&inner, FORWARD), vec![Item::Line(format!("{place} = {stored};"))]);
            if !outer.is_empty() && self.random.chance(50) {
                let nest = self.wrap(outer, &walks, vec![initial]);
                self.body.push(nest);
                items.push(inner);
            } else {
                items.extend([initial, inner]);
            }
        } else {
            let carried = self.name("c");
            let (ty, zero) = if self.is_float { ("float", "0.0f") } else { ("unsigned", "0") };
            let value = format!("({ty})({})", decayed(&carried) + " + " + &value);
            let stored = self.stored(elem, &carried);
            items.push(Item::Line(format!("{ty} {carried} = {zero};")));
            let walk = Walk { is_reversed: self.random.chance(70), ..FORWARD };
            let lines = vec![Item::Line(format!("{carried} = {value};")), Item::Line(format!("{place} = {stored};"))];
            items.push(Item::Block(self.header(last, walk), lines));
        }
        if outer.is_empty() {
            self.body.extend(items);
        } else {
            let nest = self.wrap(outer, &walks, items);
            self.body.push(nest);
        }
    }

    /// Sums over the last dimension into a new array, in several forms.
    fn row_sums(&mut self) {
        let first = self.source();
        let mut axes = self.axes(first);
        if axes.len() == 1 {
            axes.push(axes[0]);
        }
        let mut vars = self.vars(&axes);
        let reads = self.reads(&mut vars, Some(first));
        let value = self.value(&reads, &vars);
        self.disagree(&mut vars);
        let (last, outer) = vars.split_last().expect("there are two dimensions");
        let elem = self.sum_elem();
        let outer_axes = outer.iter().map(|var| var.axis).collect();
        let array = self.temporary(elem, outer_axes, outer.iter().map(|var| var.range).collect());
        let place = self.arrays[array].element(&outer.iter().map(|var| var.name.to_string()).collect::<Vec<_>>());
        let zero = Item::Line(format!("{place} = 0;"));
        let walks = vec![FORWARD; outer.len()];
        let header = self.header(last, FORWARD);
        let inner = |line: String| Item::Block(header, vec![Item::Line(line)]);
        let items = match self.random.below(3) {
            0 => {
                let nest = self.wrap(outer, &walks, vec![zero]);
                self.body.push(nest);
                vec![inner(format!("{place} += {value};"))]
            }
            1 => vec![zero, inner(format!("{place} += {value};"))],
            _ => {
                let inner = inner(format!("sum += {value};"));
                vec![Item::Line(format!("{elem} sum = 0;")), inner, Item::Line(format!("{place} = sum;"))]
            }
        };
        let nest = self.wrap(outer, &walks, items);
        self.body.push(nest);
    }

    /// A scalar that starts at zero, in front of the region or in it.
    fn new_sum(&mut self) -> String {
        let name = self.name("s");
        let elem = self.sum_elem();
        if self.random.chance(50) {
            self.before.push(format!("{elem} {name} = 0;"));
        } else {
            self.before.push(format!("{elem} {name};"));
            self.body.push(Item::Line(format!("{name} = 0;")));
        }
        name
    }

    /// A new array that is smoothed in time steps, between which two pointers are swapped.
    fn steps(&mut self) {
        let first = self.source();
        let axes = self.axes(first);
        if axes.len() > 1 {
            return self.map(Some(first), false);
        }
        let mut vars = self.vars(&axes);
        let reads = self.reads(&mut vars, Some(first));
        let value = self.value(&reads, &vars);
        let elem = self.elem();
        let ready: Vec<Range> = vars.iter().map(|var| var.range).collect();
        let [one, two] = [0, 1].map(|_| self.temporary(elem, axes.clone(), ready.clone()));
        let index = [vars[0].name.to_string()];
        let [in_one, in_two] = [one, two].map(|array| self.arrays[array].element(&index));
        // Differences, and then what they change.
        let changes = self.temporary(elem, axes.clone(), ready.clone());
        let change = self.arrays[changes].element(&index);
        let stored = self.stored(elem, &value);
        let lines = [format!("{in_one} = {stored};"), format!("{in_two} = {in_one};"), format!("{change} = 0;")]
            .map(Item::Line);
        let walks = vec![FORWARD; 1];
        let begin = self.wrap(&vars, &walks, lines.into());
        self.body.push(begin);
        let [now, next, kept, by] = ["p", "p", "p", "r"].map(|prefix| self.name(prefix));
        let [name_one, name_two] = [one, two].map(|array| self.arrays[array].name.clone());
        self.body.push(Item::Line(format!("{elem} *{now} = {name_one}, *{next} = {name_two};")));
        let inner = vec![Var { range: Range { low: ready[0].low + 1, high: ready[0].high - 1 }, ..vars[0].clone() }];
        let i = vars[0].name;
        let value = self.stored(elem, &format!("{now}[{i} + 1] - {now}[{i} - 1]"));
        let first = self.wrap(&inner, &walks, vec![Item::Line(format!("{change} = {value};"))]);
        let half = if self.is_float { format!("0.25f * {change}") } else { format!("({change} >> 2)") };
        let value = self.stored(elem, &format!("{now}[{i}] + {half}"));
        let second = self.wrap(&inner, &walks, vec![Item::Line(format!("{next}[{i}] = {value};"))]);
        let swap = match self.random.below(3) {
            0 => format!("{elem} *{kept} = {now}; {now} = {next}; {next} = {kept};"),
            1 => format!("{elem} *{kept} = {now}; {now} = {next}, {next} = {kept};"),
            _ => format!("{{ {elem} *{kept} = {next}; {next} = {now}; {now} = {kept}; }}"),
        };
        let count = self.random.between(0, 3);
        let head = format!("for (int {by} = 0; {by} < {count}; {by}++)");
        self.body.push(Item::Block(head, vec![first, second, Item::Line(swap)]));
        let (elem, place) = self.fresh(&vars);
        let value = self.stored(elem, &format!("{now}[{i}]"));
        let end = self.wrap(&vars, &walks, vec![Item::Line(format!("{place} = {value};"))]);
        self.body.push(end);
    }

    /// A sum over a whole nest, and a statement that stands alone.
    fn sum(&mut self) {
        let first = self.source();
        let axes = self.axes(first);
        let mut vars = self.vars(&axes);
        let reads = self.reads(&mut vars, Some(first));
        let value = self.value(&reads, &vars);
        self.disagree(&mut vars);
        let sum = self.new_sum();
        let walks = vec![FORWARD; vars.len()];
        let nest = self.wrap(&vars, &walks, vec![Item::Line(format!("{sum} += {value};"))]);
        self.body.push(nest);
        if self.random.chance(60) {
            let scaled = if self.is_float { format!("{sum} * 0.0625") } else { format!("{sum} >> 4") };
            self.body.push(Item::Line(format!("{sum} = {scaled};")));
        }
        self.scalars.push(sum);
    }

    /// A weighted sum of neighbours in a loop of constant length.
    fn filter(&mut self) {
        let first = self.source();
        if self.arrays[first].axes.len() > 2 {
            return self.map(Some(first), false);
        }
        let axes = self.arrays[first].axes.clone();
        let mut vars = self.vars(&axes);
        let taps = self.random.between(2, 5);
        let Some(read) = self.read(&mut vars, first, Some(("q", taps))) else { return };
        self.disagree(&mut vars);
        let (elem, place) = self.fresh(&vars);
        let (ty, weight) = if self.is_float { ("float", "0.25f") } else { ("unsigned", "(unsigned)(q + 1)") };
        let stored = self.stored(elem, "sum");
        let items = vec![
            Item::Line(format!("{ty} sum = 0;")),
            Item::Block(
                format!("for (int q = 0; q < {taps}; q++)"),
                vec![Item::Line(format!("sum += {weight} * {read};"))],
            ),
            Item::Line(format!("{place} = {stored};")),
        ];
        let walks = vec![FORWARD; vars.len()];
        let nest = self.wrap(&vars, &walks, items);
        self.body.push(nest);
    }

    /// A part of an array that has values gets others, in place: neighbours, steps, conditions and directions of all kinds.
    fn update(&mut self) {
        let outputs: Vec<usize> =
            (0..self.arrays.len()).filter(|a| self.arrays[*a].home != Home::Param { is_output: false }).collect();
        let array = self.random.of(&outputs);
        let axes = self.arrays[array].axes.clone();
        let mut vars = self.vars(&axes);
        let ready = self.arrays[array].ready.clone();
        let subscripts = self.subscripts(&mut vars, array, &ready, false, None);
        let place = self.arrays[array].element(&subscripts.expect("every dimension has its loop"));
        let mut reads = vec![place.clone()];
        if self.random.chance(50) {
            reads.extend(self.read(&mut vars, array, None));
        }
        reads.extend(self.reads(&mut vars, None));
        self.disagree(&mut vars);
        let elem = self.arrays[array].elem;
        let value = self.value(&reads, &vars);
        let line = Item::Line(format!("{place} = {};", self.stored(elem, &value)));
        let items = if self.random.chance(30) {
            vec![Item::Block(format!("if ({})", self.condition(&vars, &reads)), vec![line])]
        } else {
            vec![line]
        };
        let mut walks = self.walks(&vars);
        for walk in &mut walks {
            walk.step = self.random.of(&[1, 1, 1, 1, 2, 3]);
        }
        let nest = self.wrap(&vars, &walks, items);
        self.body.push(nest);
    }

    /// A triangle of a square array is changed, if there is one.
    fn triangle(&mut self) {
        let is_square = |array: &Array| {
            array.home != Home::Param { is_output: false } && array.axes.len() == 2 && array.axes[0] == array.axes[1]
        };
        let Some(array) = (0..self.arrays.len()).rev().find(|a| is_square(&self.arrays[*a])) else {
            return self.update();
        };
        let axes = self.arrays[array].axes.clone();
        let mut vars = self.vars(&axes);
        let ready = self.arrays[array].ready.clone();
        let subscripts = self.subscripts(&mut vars, array, &ready, false, None);
        let place = self.arrays[array].element(&subscripts.expect("every dimension has its loop"));
        let mut reads = self.reads(&mut vars, None);
        reads.push(place.clone());
        let range =
            Range { low: vars[0].range.low.max(vars[1].range.low), high: vars[0].range.high.min(vars[1].range.high) };
        vars.iter_mut().for_each(|var| var.range = range);
        let int = if self.has_outer_variables { "" } else { "int " };
        let header = match self.random.below(3) {
            0 => format!("for ({int}j = {}; j < i; j++)", range.low),
            1 => format!("for ({int}j = {}; j <= i; j++)", range.low),
            _ => format!("for ({int}j = i; j < {}; j++)", axes[1].plus(range.high)),
        };
        let value = self.value(&reads, &vars);
        let line = Item::Line(format!("{place} = {};", self.stored(self.arrays[array].elem, &value)));
        let nest = Item::Block(self.header(&vars[0], FORWARD), vec![Item::Block(header, vec![line])]);
        self.body.push(nest);
    }

    /// A statement outside of all loops.
    pub(super) fn isolated(&mut self) {
        let written: Vec<usize> =
            (0..self.arrays.len()).filter(|a| self.arrays[*a].home != Home::Param { is_output: false }).collect();
        let array = self.random.of(&written);
        let subscripts: Vec<String> = self.arrays[array]
            .slack
            .clone()
            .iter()
            .map(|slack| self.random.between(0, (*slack).min(4)).to_string())
            .collect();
        let place = self.arrays[array].element(&subscripts);
        let source = self.source();
        let reads: Vec<String> = self.read(&mut [], source, None).into_iter().collect();
        let value = self.value(&reads, &[]);
        let stored = self.stored(self.arrays[array].elem, &value);
        self.body.push(Item::Line(format!("{place} = {stored};")));
    }
}
