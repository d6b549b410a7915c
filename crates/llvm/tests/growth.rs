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

#[test]
fn work_grows_with_the_number_of_loops() {
    let folder = std::env::temp_dir().join(format!("frit-llvm-scale-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let [module, result, log] = ["many.ll", "out.bc", "log.json"].map(|name| folder.join(name));
    assert_growth("loops", [250, 1_000], 8.0, |count| {
        std::fs::write(&module, many_loops(count)).unwrap();
        let words = ["frit-llvm".as_ref(), module.as_os_str(), "-o".as_ref(), result.as_os_str()];
        let words = words.into_iter().chain(["--log".as_ref(), log.as_os_str()]).map(OsString::from);
        let (exit, work) = allocated(|| run(words));
        assert_eq!(exit, ExitCode::SUCCESS);
        let log = std::fs::read_to_string(&log).unwrap();
        let fused = log.matches("\"outcome\": \"merged\"").count();
        assert!(fused * 5 > count * 4, "{fused} fusions of {count} loops");
        work
    });
    std::fs::remove_dir_all(folder).unwrap();
}
