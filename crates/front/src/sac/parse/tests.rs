//! What programs parse to, in the notation of [`show`].

mod show;

use crate::sac::ast::File;
use crate::sac::source::{Vocabulary, preprocess};
use expect_test::{Expect, expect};
use frit_support::diagnostic::render;
use frit_support::{SourceMap, with_deep_stack};

fn parsed<T: Send>(text: &str, use_it: impl FnOnce(&File) -> T + Send) -> (T, String) {
    with_deep_stack(|| {
        let mut map = SourceMap::new();
        let file = map.add("test.sac", text);
        let source = preprocess(&mut map, file, &mut |_, _| Err("no files here".to_string()));
        let (tree, messages) = source.parse(&Vocabulary::default());
        (use_it(&tree), render(&map, &messages, false))
    })
}

fn parses(text: &str, expected: Expect) {
    let (tree, messages) = parsed(text, show::file);
    assert_eq!(messages, "");
    expected.assert_eq(&tree);
}

/// Parses expressions, one per line, to one per line.
fn expressions(lines: &str, expected: Expect) {
    let mut out = String::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (tree, messages) = parsed(
            &format!(
                "typedef double[2] complex; struct P {{ int a; }};\nint (<+>)(int a, int b) {{ return a; }}\nint f() {{ return {line}; }}"
            ),
            show::file,
        );
        assert_eq!(messages, "", "{line}");
        let returned = tree.rsplit_once("  return ").map_or("", |(_, value)| value.trim_end());
        out += &format!("{returned}\n");
    }
    expected.assert_eq(&out);
}

#[test]
fn operators_bind_as_the_table_says() {
    expressions(
        "p + q ++ r
        a * b +++ c
        -v ++ w
        0 * shape(a) <= iv
        a + b * c - d / e % f
        a << b + c
        a < b == c < d & e ^ f | g && h || i
        a ? b : c ? d : e
        a ? b ? c : d : e
        a+ ++b
        a+++b
        - -!~a
        ++a
        x <= -1
        a <+> b +++ c
        a ++^ b ++++ c",
        expect![[r#"
            (++ (+ p q) r)
            (* a (+++ b c))
            (++ (- v) w)
            (<= (* 0 shape(a)) iv)
            (- (+ a (* b c)) (% (/ d e) f))
            (<< a (+ b c))
            (|| (&& (| (^ (& (== (< a b) (< c d)) e) f) g) h) i)
            (? a b (? c d e))
            (? a (? b c d) e)
            (+ a (++ b))
            (+++ a b)
            (- (- (! (~ a))))
            (++ a)
            (<= x (- 1))
            (+++ (<+> a b) c)
            (++++ (++^ a b) c)
        "#]],
    );
}

#[test]
fn operators_are_functions_too() {
    expressions(
        "+(a, b)
        (+)(a, b)
        M::+(a, b)
        M::(+)(a, b)
        a M::+ b * c
        a M::<+> b * c
        -(a, b)[0]
        -(a)[0]
        <+>(a, b)
        <+> a
        <(a, b)
        &&(a, b)
        M::f(a) + M::x",
        expect![[r#"
            +(a b)
            +(a b)
            M::+(a b)
            M::+(a b)
            (M::+ a (* b c))
            (* (M::<+> a b) c)
            -(a b)[0]
            (- a[0])
            <+>(a b)
            (<+> a)
            <(a b)
            (&& a b)
            (+ M::f(a) M::x)
        "#]],
    );
}

#[test]
fn a_name_in_parentheses_is_a_type_if_it_is_known_as_one() {
    expressions(
        "(complex)[1.0, 0.0]
        (complex)(-a)
        (x)[1, 2]
        (x)(y)
        (x) - y
        (complex) - y
        (double[2])z
        (double[.,.])f(z)[0]
        (:int[.])x
        (: complex[n]) x
        (struct P) x
        (P) x
        (M::t)[1]
        (M::x) - 1
        (complex[2,3]) !x
        [(x), (y)]
        (unsigned long long) x",
        expect![[r#"
            (cast complex [1.0 0.0])
            (cast complex (- a))
            x[1 2]
            (cast x y)
            (- x y)
            (cast complex (- y))
            (cast double[2] z)
            (cast double[.,.] f(z)[0])
            (cast int[.] x)
            (cast complex[n] x)
            (cast struct P x)
            (cast P x)
            (cast M::t [1])
            (- M::x 1)
            (cast complex[2,3] (! x))
            [x y]
            (cast ulonglong x)
        "#]],
    );
}

#[test]
fn literals_have_the_types_of_their_suffixes() {
    expressions(
        r#"[1, 0x1F, 017, 0, 1b, 2s, 3i, 4l, 5ll, 6ub, 7us, 8ui, 9ul, 10ull, 11UL, 0xFFFFFFFF]
        [1.5, 2., .5, 1e3, 1.5e-3f, 1d, 2f, 0x1p-3, 0x1.8p1f, 08.5]
        [-2147483648, -128b, 2147483647, -9223372036854775808l]
        ['a', '\n', '\'', '\\', '\0', '\101', '\x41', '"']
        "a\tb" "c\"d"
        [true, false]"#,
        expect![[r#"
            [1 31 15 0 1:Byte 2:Short 3 4:Long 5:LongLong 6:UByte 7:UShort 8:UInt 9:ULong 10:ULongLong 11:ULong -1]
            [1.5 2.0 0.5 1000.0 0.0015f 1.0 2.0f 0.125 3.0f 8.5]
            [-2147483648 -128:Byte 2147483647 -9223372036854775808:Long]
            ['a' '\n' '\'' '\\' '\0' 'A' 'A' '"']
            "a\tbc\"d"
            [true false]
        "#]],
    );
}

#[test]
fn selections_may_have_dots() {
    expressions(
        "a[.,1]
        a[0,...,1]
        a[[.,1]]
        a[[1,2]]
        a[[]]
        a[...]
        a[i][j].x.y[k]
        a[iv].x
        f(a)[0]
        [1,2][0]",
        expect![[r#"
            a[. 1]
            a[0 ... 1]
            a[. 1]
            a[[1 2]]
            a[[]]
            a[...]
            a[i][j].x.y[k]
            a[iv].x
            f(a)[0]
            [1 2][0]
        "#]],
    );
}

#[test]
fn structs_have_fields_in_order_or_by_name() {
    expressions(
        "P{}\nP{1.0, w}\nP{.x = 1.0, .v = w}.x\n[P{1}, P{2}]",
        expect![[r#"
        P{}
        P{1.0 w}
        P{.x = 1.0 .v = w}.x
        [P{1} P{2}]
    "#]],
    );
}

#[test]
fn tensor_comprehensions_need_few_bounds() {
    expressions(
        "{ iv -> a[iv] }
        { [i,j] -> u[i] * v[j] | [i,j] < [k,n] }
        { [i] -> i | [2] <= [i] < [5] }
        { [i] -> i | [2] <= [i] }
        { [i] -> (a | b) | [i] < [5] step [2] width [1] }
        { [.,j] -> [10*j, 10*j+1] | [j] < [2] }
        { [...,i] -> a[i] | [i] < [3] }
        { [] -> 3 }
        { iv -> a[iv] | . <= iv < lb; iv -> 0 | iv < [9] }
        { iv -> 1 | lb <= iv; iv -> a[iv]; }
        { iv -> { jv -> a[iv] + b[jv] | jv < [3] } | iv < [2] }
        { iv -> b ? x : y | iv < [2] }
        { [i] -> a || b | [i] <= [2] }
        { iv -> a | iv <= iv < b }
        { iv -> a | iv step [2] }",
        expect![[r#"
            (tensor iv -> a[iv])
            (tensor [i j] -> (* u[i] v[j]) | [i j] < [k n])
            (tensor [i] -> i | [2] <= [i] < [5])
            (tensor [i] -> i | [2] <= [i])
            (tensor [i] -> (| a b) | [i] < [5] step [2] width [1])
            (tensor [. j] -> [(* 10 j) (+ (* 10 j) 1)] | [j] < [2])
            (tensor [... i] -> a[i] | [i] < [3])
            (tensor [] -> 3)
            (tensor iv -> a[iv] | . <= iv < lb iv -> 0 | iv < [9])
            (tensor iv -> 1 | lb <= iv iv -> a[iv])
            (tensor iv -> (tensor jv -> (+ a[iv] b[jv]) | jv < [3]) | iv < [2])
            (tensor iv -> (? b x y) | iv < [2])
            (tensor [i] -> (|| a b) | [i] <= [2])
            (tensor iv -> a | iv <= iv < b)
            (tensor iv -> a | iv step [2])
        "#]],
    );
}

#[test]
fn block_with_loops_have_braces_around_generators() {
    expressions(
        "with { ([0] <= [i] < [9] step [3]) : i*i; } : genarray([9], -1)
        with { (. <= iv <= .) : (t[iv], t[iv]*t[iv]); } : (genarray(shape(t), 0), fold(+, 0))
        with { } : genarray([3], 7)
        with { (. < iv=[i,j] < .) { x = a[iv]; y = x; } : x + y; } : modarray(a)
        with { (0 <= iv < 9) : (a) + b; (0 <= iv < 9) : (a); } : fold(f(x, y), n)
        with { (0 <= iv < 9) : a; } : foldfix(||, false, true)
        with { (0 <= iv < 9) : M::f(iv); } : fold(M::+, 0)
        with { (0 <= iv < 9) { o = f(o); } : o; } : (propagate(o))
        with { ([1] <= iv <= [9] step [2] width [1]) : void; } : void
        with { (0 <= iv < 9) : a, b; } : (fold(min, x), fold((+), y))
        with { (iv) : 1; } : genarray([3])
        with { (.<=iv<=.):1; (. <= [i,j] < .):2; } : genarray([3,3])
        with { (a & b <= iv < c + d) : 1; } : genarray([3,3])
        with { ((a < b) <= iv < (c > d)) : 1; } : genarray([3,3])
        with { (0*shape(a) <= iv < shape(a)) : a[iv]; } : fold(+, 0) + 1
        with { ([] <= [] < []) : 1; } : genarray([])",
        expect![[r#"
            (with ([0] <= [i] < [9] step [3] : (* i i)) genarray([9] (- 1)))
            (with (. <= iv <= . : t[iv] (* t[iv] t[iv])) genarray(shape(t) 0) fold(+ 0))
            (with  genarray([3] 7))
            (with (. < iv=[i j] < . {x = a[iv]; y = x;} : (+ x y)) modarray(a))
            (with (0 <= iv < 9 : (+ a b)) (0 <= iv < 9 : a) fold(f(x y) n))
            (with (0 <= iv < 9 : a) foldfix(|| false true))
            (with (0 <= iv < 9 : M::f(iv)) fold(M::+ 0))
            (with (0 <= iv < 9 {o = f(o);} : o) propagate(o))
            (with ([1] <= iv <= [9] step [2] width [1] : ) )
            (with (0 <= iv < 9 : a b) fold(min x) fold(+ y))
            (with (iv : 1) genarray([3]))
            (with (. <= iv <= . : 1) (. <= [i j] < . : 2) genarray([3 3]))
            (with ((& a b) <= iv < (+ c d) : 1) genarray([3 3]))
            (with ((< a b) <= iv < (> c d) : 1) genarray([3 3]))
            (+ (with ((* 0 shape(a)) <= iv < shape(a) : a[iv]) fold(+ 0)) 1)
            (with ([] <= [] < [] : 1) genarray([]))
        "#]],
    );
}

#[test]
fn classic_with_loops_end_where_the_next_part_begins() {
    expressions(
        "with (iv) : iv[0] genarray([n])
        with ([0] <= iv < [1]) : 1 ([1] <= iv < [n]) : iv[0] * 2 genarray([n])
        with ([1,1] <= iv < [3,4]) : iv[0] + iv[1] genarray([3,5], 0)
        with (iv) : 1, 2 genarray([3]) fold(+, 0)
        with (i) : with (k) : e genarray(s) genarray(t)
        with (i) : with (k) : e genarray(s); genarray(t)
        with (i) : with (k) : e genarray(s) (j) : x genarray(t)
        with (iv) : iv < shape(a) ? f(iv) : b[iv] genarray(s)
        with (iv) : f (jv) : g genarray(s)
        with (iv) : f (jv) { x = 1; } : g genarray(s)
        with (iv) : f(jv) genarray(s)
        with (iv) : f(a < b, c < d) genarray(s)
        with (iv) : f (a < jv < d) : f(a < b) genarray(s)
        with (iv) : f(a < b + c < d) genarray(s)
        with (iv) : f (a <= [i,j] < d step s) : 3 genarray(s)
        with (iv) : (a) (. <= jv <= .) : (b) genarray(s)
        with ([1] <= iv < [8]) : { t1 = B[iv]; t2 = t1 } : t1, t2 genarray([9]) fold(||, false)
        with ([1] <= iv < [8]) { t1 = B[iv]; t2 = t1 } : t1, t2 genarray([9]) fold(||, false)
        fun(iv) + with (kv) : a genarray(s)
        with (iv) : fun(iv) + with (kv) : a genarray(s); genarray(t)
        with (iv) : genarray([2], iv[0]) genarray([3])
        f(with (iv) : iv genarray([3]), 2)
        [with (iv) : a, b genarray([1]) genarray([2]), c]
        with (iv) : with { (jv) : 1; } : genarray([2]) genarray([3])
        with (iv) : { jv -> a | jv < [2] } genarray([3])",
        expect![[r#"
            (with (iv : iv[0]) genarray([n]))
            (with ([0] <= iv < [1] : 1) ([1] <= iv < [n] : (* iv[0] 2)) genarray([n]))
            (with ([1 1] <= iv < [3 4] : (+ iv[0] iv[1])) genarray([3 5] 0))
            (with (iv : 1 2) genarray([3]) fold(+ 0))
            (with (i : (with (k : e) genarray(s))) genarray(t))
            (with (i : (with (k : e) genarray(s))) genarray(t))
            (with (i : (with (k : e) genarray(s))) (j : x) genarray(t))
            (with (iv : (? (< iv shape(a)) f(iv) b[iv])) genarray(s))
            (with (iv : f) (jv : g) genarray(s))
            (with (iv : f) (jv {x = 1;} : g) genarray(s))
            (with (iv : f(jv)) genarray(s))
            (with (iv : f((< a b) (< c d))) genarray(s))
            (with (iv : f) (a < jv < d : f((< a b))) genarray(s))
            (with (iv : f((< (< a (+ b c)) d))) genarray(s))
            (with (iv : f) (a <= [i j] < d step s : 3) genarray(s))
            (with (iv : a) (. <= jv <= . : b) genarray(s))
            (with ([1] <= iv < [8] {t1 = B[iv]; t2 = t1;} : t1 t2) genarray([9]) fold(|| false))
            (with ([1] <= iv < [8] {t1 = B[iv]; t2 = t1;} : t1 t2) genarray([9]) fold(|| false))
            (+ fun(iv) (with (kv : a) genarray(s)))
            (with (iv : (+ fun(iv) (with (kv : a) genarray(s)))) genarray(t))
            (with (iv : genarray([2] iv[0])) genarray([3]))
            f((with (iv : iv) genarray([3])) 2)
            [(with (iv : a b) genarray([1]) genarray([2])) c]
            (with (iv : (with (jv : 1) genarray([2]))) genarray([3]))
            (with (iv : (tensor jv -> a | jv < [2])) genarray([3]))
        "#]],
    );
}

#[test]
fn items_of_all_kinds_are_read() {
    parses(
        "module M;
        use Array: all except { +, (+++), take };
        import Complex: { complex, * };
        export all;
        provide { f, ++^ };
        typedef double[2] complex;
        struct P { double x, y; double[3] v; };
        specialize int[*] f(int[7] x);
        external void printf(char[.] format);
        objdef int counter = 0;
        inline int, double[.] f(int a, double[n] b) | n > 0, a < n { return (a, b); }
        noinline void g() { }
        int main(void) { return 0; }
        T[*] (+)(T[*] a, T[*] b) { return a; }
        T[*] - (T[*] a) { return a; }
        int[.,.] <*>(int[n,d:shp] a, int[d>0:_] & b, int[2:s] c, int[d>=2:t] e) { return a; }
        unsigned int h(long long a, unsigned char[*] b, int[] c) { return a; }
        M::t genarray(struct P fold, struct Q[+] width) { return fold; }
        int all(int step) { return step; };",
        expect![[r#"
            module M
            use Array all except {+ +++ take}
            import Complex {complex *}
            export all except {}
            export {f ++^}
            typedef double[2] complex
            struct P (double x) (double y) (double[3] v)
            specialize int[*] f(int[7] x)
            external  printf(char[.] format)
            objdef int counter 0
            inline int double[.] f(int a double[n] b) | (> n 0)  | (< a n)
              return a b
            noinline  g()
            int main()
              return 0
            T[*] +(T[*] a T[*] b)
              return a
            T[*] -(T[*] a)
              return a
            int[.,.] <*>(int[n,d:shp] a int[d>=1:_]& b int[2:s] c int[d>=2:t] e)
              return a
            uint h(longlong a ubyte[*] b int[] c)
              return a
            M::t genarray(struct P fold struct Q[+] width)
              return fold
            int all(int step)
              return step
        "#]],
    );
}

#[test]
fn statements_are_those_of_c() {
    parses(
        "int f(int n)
        {
            int a, b;
            complex[.] z;
            M::t u;
            a = 1;
            a, b, _ = g(a);
            a += 2; a -= 3; a *= 4; a /= 5; a %= 6; a &= 7; a |= 8; a ^= 9; a <<= 1; a >>= 1;
            i++; ++i; i--; --i; r.x[1]++;
            v[i, j] = 1; v[iv][0] += 2; r.f[i].g = 3;
            if (a < b) a = b; else if (b) { b = a; } else { }
            while (a) { a = f(a); }
            do a--; while (a > 0);
            do { a--; } while (a > 0);
            for (i = 0, j = 1; i < n; i++, j += 2) { print(i); }
            for (;;) ;
            { a = 1; { b = 2; } }
            M::print(a);
            +(a, b);
            with { (. <= iv <= .) { print(iv); } : void; } : void;
            x = a ++ b;
            continue = continue(a, b);
            break = 1;
            return (a);
        }",
        expect![[r#"
            int f(int n)
              int a b
              complex[.] z
              M::t u
              a = 1
              a b _ = g(a)
              a += 2
              a -= 3
              a *= 4
              a /= 5
              a %= 6
              a &= 7
              a |= 8
              a ^= 9
              a <<= 1
              a >>= 1
              i += 1
              i += 1
              i -= 1
              i -= 1
              r.x [1] += 1
              v[i j] = 1
              v[iv] [0] += 2
              r.f [i] .g = 3
              if (< a b)
                a = b
              else
                if b
                  b = a
              while a
                a = f(a)
              do
                a -= 1
              while (> a 0)
              do
                a -= 1
              while (> a 0)
              for
                i = 0
                j = 1
              while (< i n)
                print(i)
              step
                i += 1
                j += 2
              for
              while true
              step
              a = 1
              b = 2
              M::print(a)
              +(a b)
              (with (. <= iv <= . {print(iv);} : ) )
              x = (++ a b)
              continue = continue(a b)
              break = 1
              return a
        "#]],
    );
}

#[test]
fn semicolons_may_be_missing_where_the_papers_leave_them_out() {
    parses(
        "int[.] iota(int n) {
            res = with (iv) : iv[0] genarray([n])
            return(res);
        }
        int g(int n) { if (n) { a = with (iv) : 1 fold(+, 0) } return n; }",
        expect![[r#"
            int[.] iota(int n)
              res = (with (iv : iv[0]) genarray([n]))
              return res
            int g(int n)
              if n
                a = (with (iv : 1) fold(+ 0))
              return n
        "#]],
    );
}

#[test]
fn the_programs_of_the_papers_are_read() {
    parses(
        "double[+] relax (double[+] A)
        {
           for (i=0; i < dim(A); i+=1) {
              R = R + rotate(i, 1, A) + rotate(i, -1, A);
           }
           return(R / (2 * dim(A) + 1));
        }
        bool continue (double[+] A, double[+] B, double eps)
        {
           return(any(abs(A - B) > eps));
        }
        double[+] convolution (double[+] A, double eps)
        {
           do {
              B = A;
              A = relax(B);
           }
           while (continue(A, B, eps));
           return(A);
        }
        int [.] (++)(int [.] a, int [.] b)
        {
          res = with
            (iv) : iv < shape(a) ? a[iv] : b[iv-shape(a)]
            genarray(shape(a) + shape(b))
          return(res);
        }
        complex[9,9], complex[9,9] foo (complex[9,9] A)
        {
          B = take( [5,9], A) +++ mkarray( [4,9], [1,0]);
          C,D = with
            ([0,0] <= iv < [1,4]) : A[iv] + [1,0],          [0,0]
            ([1,0] <= iv < [6,2]) : A[iv] + A[iv-[1,-7]],   [0,0]
          genarray( [9,9])
          genarray( [9,9]);
          return( C, D);
        }
        int main()
        {
          A,c = with
            ([1]<=iv<[8]):
                  { tmp0 = B[iv];
                    tmp2 = abs(tmp1-tmp0)>=eps
                  }: tmp1, tmp2
            genarray([9])
            fold( ||, false);
          R = with
            (iv) : with
              (kv) : (A[iv])[kv] + (B[iv])[kv]
              genarray(shape(A[iv]));
            genarray(shape(A));
        }",
        expect![[r#"
            double[+] relax(double[+] A)
              for
                i = 0
              while (< i dim(A))
                R = (+ (+ R rotate(i 1 A)) rotate(i (- 1) A))
              step
                i += 1
              return (/ R (+ (* 2 dim(A)) 1))
            bool continue(double[+] A double[+] B double eps)
              return any((> abs((- A B)) eps))
            double[+] convolution(double[+] A double eps)
              do
                B = A
                A = relax(B)
              while continue(A B eps)
              return A
            int[.] ++(int[.] a int[.] b)
              res = (with (iv : (? (< iv shape(a)) a[iv] b[(- iv shape(a))])) genarray((+ shape(a) shape(b))))
              return res
            complex[9,9] complex[9,9] foo(complex[9,9] A)
              B = (+++ take([5 9] A) mkarray([4 9] [1 0]))
              C D = (with ([0 0] <= iv < [1 4] : (+ A[iv] [1 0]) [0 0]) ([1 0] <= iv < [6 2] : (+ A[iv] A[(- iv [1 (- 7)])]) [0 0]) genarray([9 9]) genarray([9 9]))
              return C D
            int main()
              A c = (with ([1] <= iv < [8] {tmp0 = B[iv]; tmp2 = (>= abs((- tmp1 tmp0)) eps);} : tmp1 tmp2) genarray([9]) fold(|| false))
              R = (with (iv : (with (kv : (+ A[iv][kv] B[iv][kv])) genarray(shape(A[iv])))) genarray(shape(A)))
        "#]],
    );
}

/// The messages for a file, without the source lines.
fn complains(text: &str, expected: Expect) {
    let (_, messages) = parsed(text, |_| ());
    let lines: Vec<_> = messages
        .lines()
        .filter(|line| line.starts_with("error") || line.starts_with("warning") || line.contains("┌─"))
        .map(|line| line.trim().trim_start_matches("┌─ ").to_string())
        .collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn every_mistake_of_a_file_is_reported_once() {
    complains(
        "int f(int a) {
            b = a +;
            c = (a;
            d = [a, b;
            e = f(a b);
            if a { c = 1; }
            g = 1
            h = 2;
            return b
        }
        int g(int) { return 1; }
        int h( { return 1; }
        double k(double x) { return x * ; }
        foo(int a) { return a; }
        int l(int a) { x = with { (0 <= iv) : 1; } : genarray([3]); y = with (0 <= iv < 2) 1 genarray([2]); return 0; }
        use Array all;
        int m(int a) { z = { [i] a[i] }; return z; }",
        expect![[r#"
            error[unexpected-token]: found `;` where the program needs something else
            test.sac:2:20
            error[unclosed-bracket]: found `;` before the bracket was closed
            test.sac:3:19
            error[unclosed-bracket]: found `;` before the bracket was closed
            test.sac:4:22
            error[unexpected-token]: found `b` where the program needs something else
            test.sac:5:21
            error[unexpected-token]: found `a` where the program needs something else
            test.sac:6:16
            error[missing-semicolon]: found `h` where `;` should follow
            test.sac:7:17
            error[missing-semicolon]: found `}` where `;` should follow
            test.sac:9:20
            error[unexpected-token]: found `)` where the program needs something else
            test.sac:11:18
            error[unexpected-token]: found `{` where the program needs something else
            test.sac:12:16
            error[unexpected-token]: found `;` where the program needs something else
            test.sac:13:41
            error[unexpected-token]: found `(` where the program needs something else
            test.sac:14:12
            error[bad-generator]: this is not a generator
            test.sac:15:43
            error[unexpected-token]: found a number where the program needs something else
            test.sac:15:92
            error[unexpected-token]: found `all` where the program needs something else
            test.sac:16:19
            error[unexpected-token]: found `a` where the program needs something else
            test.sac:17:34"#]],
    );
}

#[test]
fn a_missing_brace_is_found_at_the_next_function() {
    complains(
        "int f(int a) {
            if (a) {
                b = 1;
            return b;
        }
        int g(int a) {
            return a;
        }
        int h(int a) { return a; }
        }
        int k(int a) { return; }",
        expect![[r#"
            error[unclosed-bracket]: found the keyword `int` before the bracket was closed
            test.sac:6:9
            error[unexpected-token]: found `}` where the program needs something else
            test.sac:10:9"#]],
    );
}
