; Guards that say the same in other words, and guards that do not.
; fuse: identical 1, swapped 1, inverted 1, not_zero 1, weaker 1, another_count 1, half 1, flag 1
; run: identical a=f64[21] b=f64[21] n=0..20 m=0..20
; run: swapped a=f64[21] b=f64[21] n=0..20 m=0..20
; run: inverted a=f64[21] b=f64[21] n=0..20 m=0..20
; run: not_zero a=f64[21] b=f64[21] n=0..20 m=0..20
; run: weaker a=f64[21] b=f64[21] n=0..20 m=0..20
; run: another_count a=f64[21] b=f64[21] n=0..20 m=0..20
; run: half a=f64[21] b=f64[21] n=0..20 m=0..20
; run: flag a=f64[21] b=f64[21] n=0..20 m=0..20

define void @identical(ptr noalias %a, ptr noalias %b, i64 %n, i64 %m) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %middle

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %first.exit, label %first

first.exit:
  br label %middle

middle:
  %more = icmp sgt i64 %n, 0
  br i1 %more, label %second, label %exit

second:
  %j = phi i64 [ 0, %middle ], [ %j.next, %second ]
  %u.at = getelementptr inbounds double, ptr %a, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %second.exit, label %second

second.exit:
  br label %exit

exit:
  ret void
}

define void @swapped(ptr noalias %a, ptr noalias %b, i64 %n, i64 %m) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %middle

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %first.exit, label %first

first.exit:
  br label %middle

middle:
  %more = icmp slt i64 0, %n
  br i1 %more, label %second, label %exit

second:
  %j = phi i64 [ 0, %middle ], [ %j.next, %second ]
  %u.at = getelementptr inbounds double, ptr %a, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %second.exit, label %second

second.exit:
  br label %exit

exit:
  ret void
}

define void @inverted(ptr noalias %a, ptr noalias %b, i64 %n, i64 %m) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %middle

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %first.exit, label %first

first.exit:
  br label %middle

middle:
  %more = icmp sle i64 %n, 0
  br i1 %more, label %exit, label %second

second:
  %j = phi i64 [ 0, %middle ], [ %j.next, %second ]
  %u.at = getelementptr inbounds double, ptr %a, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %second.exit, label %second

second.exit:
  br label %exit

exit:
  ret void
}

define void @not_zero(ptr noalias %a, ptr noalias %b, i64 %n, i64 %m) {
entry:
  %some = icmp ne i64 %n, 0
  br i1 %some, label %first, label %middle

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %first.exit, label %first

first.exit:
  br label %middle

middle:
  %more = icmp sgt i64 %n, 0
  br i1 %more, label %second, label %exit

second:
  %j = phi i64 [ 0, %middle ], [ %j.next, %second ]
  %u.at = getelementptr inbounds double, ptr %a, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %second.exit, label %second

second.exit:
  br label %exit

exit:
  ret void
}

define void @weaker(ptr noalias %a, ptr noalias %b, i64 %n, i64 %m) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %middle

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %first.exit, label %first

first.exit:
  br label %middle

middle:
  %more = icmp sge i64 %n, 0
  br i1 %more, label %second, label %exit

second:
  %j = phi i64 [ 0, %middle ], [ %j.next, %second ]
  %u.at = getelementptr inbounds double, ptr %a, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp sge i64 %j.next, %n
  br i1 %j.done, label %second.exit, label %second

second.exit:
  br label %exit

exit:
  ret void
}

define void @another_count(ptr noalias %a, ptr noalias %b, i64 %n, i64 %m) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %middle

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %first.exit, label %first

first.exit:
  br label %middle

middle:
  %more = icmp sgt i64 %m, 0
  br i1 %more, label %second, label %exit

second:
  %j = phi i64 [ 0, %middle ], [ %j.next, %second ]
  %u.at = getelementptr inbounds double, ptr %a, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %m
  br i1 %j.done, label %second.exit, label %second

second.exit:
  br label %exit

exit:
  ret void
}

define void @half(ptr noalias %a, ptr noalias %b, i64 %n, i64 %m) {
entry:
  %half = lshr i64 %n, 1
  %some = icmp sgt i64 %half, 0
  br i1 %some, label %first, label %middle

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %half
  br i1 %i.done, label %first.exit, label %first

first.exit:
  br label %middle

middle:
  %more = icmp sgt i64 %half, 0
  br i1 %more, label %second, label %exit

second:
  %j = phi i64 [ 0, %middle ], [ %j.next, %second ]
  %u.at = getelementptr inbounds double, ptr %a, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %half
  br i1 %j.done, label %second.exit, label %second

second.exit:
  br label %exit

exit:
  ret void
}

define void @flag(ptr noalias %a, ptr noalias %b, i64 %n, i64 %m) {
entry:
  %pos = icmp sgt i64 %n, 0
  %f = icmp sgt i64 %m, 10
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %middle

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %first.exit, label %first

first.exit:
  br label %middle

middle:
  %more = and i1 %f, %pos
  br i1 %more, label %second, label %exit

second:
  %j = phi i64 [ 0, %middle ], [ %j.next, %second ]
  %u.at = getelementptr inbounds double, ptr %a, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %second.exit, label %second

second.exit:
  br label %exit

exit:
  ret void
}
