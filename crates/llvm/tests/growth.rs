//! How the work of the command grows with the length of programs.

use frit_llvm::command::run;
use frit_support::allocated::{allocated, assert_growth};
use std::ffi::OsString;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: frit_support::allocated::Counting<std::alloc::System> =
    frit_support::allocated::Counting(std::alloc::System);

/// A function of many loops, each over two of three arrays.
fn many_loops(count: usize) -> String {
    let mut text =
        String::from("define void @many(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n) {\nentry:\n");
    text += "  %any = icmp sgt i64 %n, 0\n  br i1 %any, label %l0, label %end\n";
    for at in 0..count {
        let from = if at == 0 { "entry".to_string() } else { format!("e{}", at - 1) };
        let next = if at + 1 == count { "end".to_string() } else { format!("l{}", at + 1) };
        let (read, written) = (["a", "b", "c"][at % 3], ["b", "c", "a"][at % 3]);
        let lines = [
            format!("l{at}:"),
            format!("%i{at} = phi i64 [ 0, %{from} ], [ %j{at}, %l{at} ]"),
            format!("%p{at} = getelementptr inbounds double, ptr %{read}, i64 %i{at}"),
            format!("%x{at} = load double, ptr %p{at}"),
            format!("%y{at} = fmul double %x{at}, 2.0"),
            format!("%q{at} = getelementptr inbounds double, ptr %{written}, i64 %i{at}"),
            format!("store double %y{at}, ptr %q{at}"),
            format!("%j{at} = add nuw nsw i64 %i{at}, 1"),
            format!("%d{at} = icmp eq i64 %j{at}, %n"),
            format!("br i1 %d{at}, label %e{at}, label %l{at}"),
            format!("e{at}:"),
            format!("br label %{next}"),
        ];
        text += &(lines.join("\n") + "\n");
    }
    text + "end:\n  ret void\n}\n"
}

/// A function of many stencils over rows, each from one of three arrays to the next.
fn many_nests(count: usize) -> String {
    let mut text =
        String::from("define void @many(ptr noalias %a, ptr noalias %b, ptr noalias %c) {\nentry:\n  br label %o0\n");
    for at in 0..count {
        let from = if at == 0 { "entry".to_string() } else { format!("e{}", at - 1) };
        let (read, written) = (["a", "b", "c"][at % 3], ["b", "c", "a"][at % 3]);
        let next = if at + 1 == count { "end".to_string() } else { format!("o{}", at + 1) };
        text += &format!(
            "o{at}:
  %i{at} = phi i64 [ 1, %{from} ], [ %k{at}, %l{at} ]
  %r{at} = mul nuw nsw i64 %i{at}, 512
  br label %n{at}
n{at}:
  %j{at} = phi i64 [ 1, %o{at} ], [ %m{at}, %n{at} ]
  %x{at} = add nuw nsw i64 %r{at}, %j{at}
  %y{at} = add nsw i64 %x{at}, -512
  %z{at} = add nuw nsw i64 %x{at}, 512
  %p{at} = getelementptr inbounds double, ptr %{read}, i64 %y{at}
  %q{at} = getelementptr inbounds double, ptr %{read}, i64 %z{at}
  %u{at} = load double, ptr %p{at}
  %v{at} = load double, ptr %q{at}
  %s{at} = fadd double %u{at}, %v{at}
  %w{at} = getelementptr inbounds double, ptr %{written}, i64 %x{at}
  store double %s{at}, ptr %w{at}
  %m{at} = add nuw nsw i64 %j{at}, 1
  %d{at} = icmp eq i64 %m{at}, 511
  br i1 %d{at}, label %l{at}, label %n{at}
l{at}:
  %k{at} = add nuw nsw i64 %i{at}, 1
  %f{at} = icmp eq i64 %k{at}, 511
  br i1 %f{at}, label %e{at}, label %o{at}
e{at}:
  br label %{next}
"
        );
    }
    text + "end:\n  ret void\n}\n"
}

/// Fuses these modules of so many loops or nests, of which at least so many parts of ten become one with others.
fn assert_work_grows(what: &str, sizes: [usize; 2], module_of: fn(usize) -> String, tenths: usize) {
    let folder = std::env::temp_dir().join(format!("frit-llvm-{what}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let [module, result, log] = ["many.ll", "out.bc", "log.json"].map(|name| folder.join(name));
    assert_growth(what, sizes, 8.0, |count| {
        std::fs::write(&module, module_of(count)).unwrap();
        let words = ["frit-llvm".as_ref(), module.as_os_str(), "-o".as_ref(), result.as_os_str()];
        let words = words.into_iter().chain(["--log".as_ref(), log.as_os_str()]).map(OsString::from);
        let (exit, work) = allocated(|| run(words));
        assert_eq!(exit, ExitCode::SUCCESS);
        let log = std::fs::read_to_string(&log).unwrap();
        let fused = log.matches("\"outcome\": \"merged\"").count();
        assert!(fused * 10 > count * tenths, "{fused} fusions of {count} {what}");
        work
    });
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn work_grows_with_the_number_of_loops() {
    assert_work_grows("loops", [250, 1_000], many_loops, 8);
}

#[test]
fn work_grows_with_the_number_of_nests() {
    assert_work_grows("nests", [30, 120], many_nests, 8);
}
