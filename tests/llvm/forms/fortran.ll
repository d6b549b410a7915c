; Loops as Fortran's flang writes them: they count down how often they run, at their head, the index goes along from 1, and bounds are
; loaded anew for each loop.
; fuse: scale_ 1, columns_ 2
; run: scale_ x=f64[20] y=f64[20] n=i32[1]:0..20
; run: columns_ x=f64[50] y=f64[50] n=i32[1]:0..7

define void @scale_(ptr noalias nocapture %x, ptr noalias nocapture %y, ptr noalias nocapture %n) {
entry:
  %n1 = load i32, ptr %n, align 4
  %t1 = sext i32 %n1 to i64
  br label %h1

h1:
  %i1 = phi i32 [ 1, %entry ], [ %i1.next, %b1 ]
  %c1 = phi i64 [ %t1, %entry ], [ %c1.next, %b1 ]
  %m1 = icmp sgt i64 %c1, 0
  br i1 %m1, label %b1, label %e1

b1:
  %w1 = sext i32 %i1 to i64
  %o1 = sub nsw i64 %w1, 1
  %p1 = getelementptr double, ptr %x, i64 %o1
  %v1 = load double, ptr %p1, align 8
  %r1 = fmul contract double %v1, 2.000000e+00
  store double %r1, ptr %p1, align 8
  %i1.next = add nsw i32 %i1, 1
  %c1.next = sub i64 %c1, 1
  br label %h1

e1:
  %n2 = load i32, ptr %n, align 4
  %t2 = sext i32 %n2 to i64
  br label %h2

h2:
  %i2 = phi i32 [ 1, %e1 ], [ %i2.next, %b2 ]
  %c2 = phi i64 [ %t2, %e1 ], [ %c2.next, %b2 ]
  %m2 = icmp sgt i64 %c2, 0
  br i1 %m2, label %b2, label %e2

b2:
  %w2 = sext i32 %i2 to i64
  %o2 = sub nsw i64 %w2, 1
  %p2 = getelementptr double, ptr %x, i64 %o2
  %v2 = load double, ptr %p2, align 8
  %q2 = getelementptr double, ptr %y, i64 %o2
  %u2 = load double, ptr %q2, align 8
  %r2 = fadd contract double %u2, %v2
  store double %r2, ptr %q2, align 8
  %i2.next = add nsw i32 %i2, 1
  %c2.next = sub i64 %c2, 1
  br label %h2

e2:
  ret void
}

define void @columns_(ptr noalias nocapture %x, ptr noalias nocapture %y, ptr noalias nocapture %n) {
entry:
  %n1 = load i32, ptr %n, align 4
  %t1 = sext i32 %n1 to i64
  br label %h1

h1:
  %j1 = phi i32 [ 1, %entry ], [ %j1.next, %l1 ]
  %c1 = phi i64 [ %t1, %entry ], [ %c1.next, %l1 ]
  %m1 = icmp sgt i64 %c1, 0
  br i1 %m1, label %s1, label %e1

s1:
  %in1 = load i32, ptr %n, align 4
  %it1 = sext i32 %in1 to i64
  br label %ih1

ih1:
  %i1 = phi i32 [ 1, %s1 ], [ %i1.next, %b1 ]
  %ic1 = phi i64 [ %it1, %s1 ], [ %ic1.next, %b1 ]
  %im1 = icmp sgt i64 %ic1, 0
  br i1 %im1, label %b1, label %l1

b1:
  %iw1 = sext i32 %i1 to i64
  %io1 = sub nsw i64 %iw1, 1
  %jw1 = sext i32 %j1 to i64
  %jo1 = sub nsw i64 %jw1, 1
  %jr1 = mul nsw i64 %jo1, %t1
  %o1 = add nsw i64 %jr1, %io1
  %p1 = getelementptr double, ptr %x, i64 %o1
  %v1 = load double, ptr %p1, align 8
  %r1 = fmul contract double %v1, 2.000000e+00
  store double %r1, ptr %p1, align 8
  %i1.next = add nsw i32 %i1, 1
  %ic1.next = sub i64 %ic1, 1
  br label %ih1

l1:
  %j1.next = add nsw i32 %j1, 1
  %c1.next = sub i64 %c1, 1
  br label %h1

e1:
  %n2 = load i32, ptr %n, align 4
  %t2 = sext i32 %n2 to i64
  br label %h2

h2:
  %j2 = phi i32 [ 1, %e1 ], [ %j2.next, %l2 ]
  %c2 = phi i64 [ %t2, %e1 ], [ %c2.next, %l2 ]
  %m2 = icmp sgt i64 %c2, 0
  br i1 %m2, label %s2, label %e2

s2:
  %in2 = load i32, ptr %n, align 4
  %it2 = sext i32 %in2 to i64
  br label %ih2

ih2:
  %i2 = phi i32 [ 1, %s2 ], [ %i2.next, %b2 ]
  %ic2 = phi i64 [ %it2, %s2 ], [ %ic2.next, %b2 ]
  %im2 = icmp sgt i64 %ic2, 0
  br i1 %im2, label %b2, label %l2

b2:
  %iw2 = sext i32 %i2 to i64
  %io2 = sub nsw i64 %iw2, 1
  %jw2 = sext i32 %j2 to i64
  %jo2 = sub nsw i64 %jw2, 1
  %jr2 = mul nsw i64 %jo2, %t2
  %o2 = add nsw i64 %jr2, %io2
  %p2 = getelementptr double, ptr %x, i64 %o2
  %v2 = load double, ptr %p2, align 8
  %q2 = getelementptr double, ptr %y, i64 %o2
  %u2 = load double, ptr %q2, align 8
  %r2 = fadd contract double %u2, %v2
  store double %r2, ptr %q2, align 8
  %i2.next = add nsw i32 %i2, 1
  %ic2.next = sub i64 %ic2, 1
  br label %ih2

l2:
  %j2.next = add nsw i32 %j2, 1
  %c2.next = sub i64 %c2, 1
  br label %h2

e2:
  ret void
}
