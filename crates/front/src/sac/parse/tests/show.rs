//! Trees as short text: operators in front, everything in brackets. For tests only.

use crate::sac::ast::*;
use frit_ir::Const;

fn join<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(" ")
}

pub(super) fn file(file: &File) -> String {
    let mut out = String::new();
    if let Some(module) = &file.module {
        out += &format!("module {}\n", module.text);
    }
    for item in &file.items {
        out += &item_text(item);
        out.push('\n');
    }
    out
}

fn symbols(symbols: &Symbols) -> String {
    match symbols {
        Symbols::All { except } => format!("all except {{{}}}", join(except, |n| n.text.clone())),
        Symbols::Only(names) => format!("{{{}}}", join(names, |n| n.text.clone())),
    }
}

fn item_text(item: &Item) -> String {
    match item {
        Item::Use(item) => {
            let word = if item.is_import { "import" } else { "use" };
            format!("{word} {} {}", item.module.text, symbols(&item.symbols))
        }
        Item::Export { symbols: list, .. } => format!("export {}", symbols(list)),
        Item::Typedef { name, is_handle: true, .. } => format!("external typedef {}", name.text),
        Item::Typedef { ty, name, .. } => format!("typedef {} {}", type_text(ty), name.text),
        Item::Struct { name, fields, .. } => {
            format!("struct {} {}", name.text, join(fields, |(ty, name)| format!("({} {})", type_text(ty), name.text)))
        }
        Item::Function(function) => function_text(function),
        Item::Alias(name) => format!("alias {}", name.text),
        Item::Specialize(signature) => format!("specialize {}", signature_text(signature)),
        Item::External(signature, _) => format!("external {}", signature_text(signature)),
        Item::Object { ty, name, value } => format!("objdef {} {} {}", type_text(ty), name.text, expr(value)),
    }
}

fn signature_text(signature: &Signature) -> String {
    let params = join(&signature.params, |p| {
        format!("{}{} {}", type_text(&p.ty), if p.is_reference { "&" } else { "" }, p.name.text)
    });
    let constraints = join(&signature.constraints, |c| format!(" | {}", expr(c)));
    format!("{} {}({params}){constraints}", join(&signature.results, type_text), signature.name.text)
}

fn function_text(function: &Function) -> String {
    let hint = match function.inlining {
        Inlining::Free => "",
        Inlining::Inline => "inline ",
        Inlining::NoInline => "noinline ",
    };
    let mut out = format!("{hint}{}\n", signature_text(&function.signature));
    for declaration in &function.declarations {
        out += &format!("  {} {}\n", type_text(&declaration.ty), join(&declaration.names, |n| n.text.clone()));
    }
    out += &block(&function.body, 1);
    if let Some(values) = &function.returns {
        out += &format!("  return {}\n", join(values, expr));
    }
    out.pop();
    out
}

fn type_text(ty: &TypeExpr) -> String {
    let word = if ty.is_struct { "struct " } else { "" };
    let shape = match &ty.shape {
        None => String::new(),
        Some(axes) => format!("[{}]", axes.iter().map(axis).collect::<Vec<_>>().join(",")),
    };
    format!("{word}{}{shape}", qualified(&ty.elem))
}

fn axis(axis: &AxisExpr) -> String {
    match axis {
        AxisExpr::Extent(extent, _) => extent.to_string(),
        AxisExpr::Dot(_) => ".".to_string(),
        AxisExpr::Plus(_) => "+".to_string(),
        AxisExpr::Star(_) => "*".to_string(),
        AxisExpr::Name(name) => name.text.clone(),
        AxisExpr::Axes { count, at_least, shape } => {
            let count = match count {
                AxisCount::Fixed(count, _) => count.to_string(),
                AxisCount::Name(name) => name.text.clone(),
            };
            let least = if *at_least > 0 { format!(">={at_least}") } else { String::new() };
            format!("{count}{least}:{}", shape.as_ref().map_or("_", |name| &name.text))
        }
    }
}

fn qualified(name: &QualifiedName) -> String {
    let module = name.module.as_ref().map_or(String::new(), |module| format!("{}::", module.text));
    format!("{module}{}", name.name.text)
}

fn block(statements: &[Stmt], depth: usize) -> String {
    let mut out = String::new();
    let margin = "  ".repeat(depth);
    for statement in statements {
        let inner = |statements: &[Stmt]| block(statements, depth + 1);
        out += &match &statement.kind {
            StmtKind::Assign { targets, value } => {
                format!("{margin}{} = {}\n", join(targets, |n| n.text.clone()), expr(value))
            }
            StmtKind::Update { target, operator, value } => {
                let accessors = join(&target.accessors, |accessor| match accessor {
                    Accessor::Index(index, _) => format!("[{}]", join(index, expr)),
                    Accessor::Field(name) => format!(".{}", name.text),
                });
                let operator = operator.as_ref().map_or("", |operator| &operator.text);
                format!("{margin}{}{accessors} {operator}= {}\n", target.name.text, expr(value))
            }
            StmtKind::Expr(value) => format!("{margin}{}\n", expr(value)),
            StmtKind::If { cond, then, otherwise } => {
                let other =
                    if otherwise.is_empty() { String::new() } else { format!("{margin}else\n{}", inner(otherwise)) };
                format!("{margin}if {}\n{}{other}", expr(cond), inner(then))
            }
            StmtKind::While { cond, body } => format!("{margin}while {}\n{}", expr(cond), inner(body)),
            StmtKind::DoWhile { body, cond } => format!("{margin}do\n{}{margin}while {}\n", inner(body), expr(cond)),
            StmtKind::For { init, cond, step, body } => {
                format!(
                    "{margin}for\n{}{margin}while {}\n{}{margin}step\n{}",
                    inner(init),
                    expr(cond),
                    inner(body),
                    inner(step)
                )
            }
        };
    }
    out
}

fn literal(value: &Const) -> String {
    match value {
        Const::Int(_, value) => value.to_string(),
        Const::F32(bits) => format!("{:?}f", f32::from_bits(*bits)),
        Const::F64(bits) => format!("{:?}", f64::from_bits(*bits)),
        Const::Bool(value) => value.to_string(),
        Const::Char(code) => format!("{:?}", char::from_u32(*code).unwrap_or('?')),
        Const::Cert => "cert".to_string(),
    }
}

pub(super) fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Literal(Basic::Int | Basic::Double | Basic::Float | Basic::Bool | Basic::Char, value) => {
            literal(value)
        }
        ExprKind::Literal(ty, value) => format!("{}:{ty:?}", literal(value)),
        ExprKind::Text(text) => format!("{:?}", text.iter().collect::<String>()),
        ExprKind::Name(name) => qualified(name),
        ExprKind::Call { function, args, is_infix } => {
            let name = qualified(function);
            if *is_infix { format!("({name} {})", join(args, expr)) } else { format!("{name}({})", join(args, expr)) }
        }
        ExprKind::And(a, b) => format!("(&& {} {})", expr(a), expr(b)),
        ExprKind::Or(a, b) => format!("(|| {} {})", expr(a), expr(b)),
        ExprKind::Cond(c, a, b) => format!("(? {} {} {})", expr(c), expr(a), expr(b)),
        ExprKind::Array(elements) => format!("[{}]", join(elements, expr)),
        ExprKind::EmptyArray(ty) => format!("[:{}]", type_text(ty)),
        ExprKind::Cast(ty, operand) => format!("(cast {} {})", type_text(ty), expr(operand)),
        ExprKind::Select(array, args) => format!(
            "{}[{}]",
            expr(array),
            join(args, |arg| match arg {
                SelectArg::Expr(index) => expr(index),
                SelectArg::Dot(_) => ".".to_string(),
                SelectArg::Dots(_) => "...".to_string(),
            })
        ),
        ExprKind::Field(value, field) => format!("{}.{}", expr(value), field.text),
        ExprKind::Struct(name, fields) => format!(
            "{}{{{}}}",
            name.text,
            join(fields, |(field, value)| {
                field.as_ref().map_or(String::new(), |field| format!(".{} = ", field.text)) + &expr(value)
            })
        ),
        ExprKind::With(with) => {
            let operations = join(&with.operations, |operation| match &operation.kind {
                OperationKind::Genarray(shape, None) => format!("genarray({})", expr(shape)),
                OperationKind::Genarray(shape, Some(default)) => format!("genarray({} {})", expr(shape), expr(default)),
                OperationKind::Modarray(array) => format!("modarray({})", expr(array)),
                OperationKind::Fold(function, neutral) => format!("fold({} {})", fold(function), expr(neutral)),
                OperationKind::FoldFix(function, neutral, fixed) => {
                    format!("foldfix({} {} {})", fold(function), expr(neutral), expr(fixed))
                }
                OperationKind::Propagate(name) => format!("propagate({})", name.text),
            });
            format!("(with {} {operations})", join(&with.parts, part))
        }
        ExprKind::Tensor(parts) => format!(
            "(tensor {})",
            join(parts, |part| {
                let generator = part.generator.as_ref().map_or(String::new(), |g| format!(" | {}", generator(g)));
                format!("{} -> {}{generator}", pattern(&part.index), expr(&part.cell))
            })
        ),
        ExprKind::Error => "<error>".to_string(),
    }
}

fn fold(function: &FoldFunction) -> String {
    let args = if function.args.is_empty() { String::new() } else { format!("({})", join(&function.args, expr)) };
    format!("{}{args}", qualified(&function.name))
}

fn part(part: &Part) -> String {
    let body = block(&part.body, 0).replace('\n', "; ");
    let body = if body.is_empty() { body } else { format!(" {{{}}}", body.trim_end()) };
    format!("({}{body} : {})", generator(&part.generator), join(&part.cells, expr))
}

fn generator(generator: &Generator) -> String {
    let relation = |bound: &Bound| if bound.is_inclusive { "<=" } else { "<" };
    let value = |bound: &Bound| bound.value.as_ref().map_or(".".to_string(), expr);
    let mut out = String::new();
    if let Some(lower) = &generator.lower {
        out += &format!("{} {} ", value(lower), relation(lower));
    }
    out += &pattern(&generator.index);
    if let Some(upper) = &generator.upper {
        out += &format!(" {} {}", relation(upper), value(upper));
    }
    for (word, value) in [("step", &generator.step), ("width", &generator.width)] {
        if let Some(value) = value {
            out += &format!(" {word} {}", expr(value));
        }
    }
    out
}

fn pattern(index: &IndexPattern) -> String {
    let components = index.components.as_ref().map(|components| {
        let text = join(components, |component| match component {
            IndexComponent::Name(name) => name.text.clone(),
            IndexComponent::Dot(_) => ".".to_string(),
            IndexComponent::Dots(_) => "...".to_string(),
        });
        format!("[{text}]")
    });
    match (&index.vector, components) {
        (Some(name), Some(components)) => format!("{}={components}", name.text),
        (Some(name), None) => name.text.clone(),
        (None, components) => components.unwrap_or_default(),
    }
}
