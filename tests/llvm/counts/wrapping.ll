; Trip counts of narrow types: 0 may be all the numbers that there are.
; fuse: bytes_up_to_256 1, bytes_no_wrap 1, shorts 1, one_more_may_wrap 1, one_less_may_wrap 1, unsigned_bound 1, narrow_and_wide 1
; run: bytes_up_to_256 a=f64[257] b=f64[257] n=0..255
; run: bytes_no_wrap a=f64[257] b=f64[257] n=0..127
; run: shorts a=f64[257] b=f64[257] n=0..250
; run: one_more_may_wrap a=f64[257] b=f64[257] n=0..255
; run: one_less_may_wrap a=f64[257] b=f64[257] n=0..255
; run: unsigned_bound a=f64[257] b=f64[257] n=0..250
; run: narrow_and_wide a=f64[257] b=f64[257] n=0..250

define void @bytes_up_to_256(ptr noalias %a, ptr noalias %b, i8 %n) {
entry:
  %some = icmp eq i8 0, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i8 [ 0, %entry ], [ %i.next, %first ]
  %i.wide = zext i8 %i to i64
  %x.at = getelementptr inbounds double, ptr %b, i64 %i.wide
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.wide.to = getelementptr inbounds double, ptr %a, i64 %i.wide
  store double %y, ptr %a.i.wide.to
  %i.next = add i8 %i, 1
  %i.done = icmp eq i8 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i8 [ 0, %between ], [ %j.next, %second ]
  %j.wide = zext i8 %j to i64
  %u.at = getelementptr inbounds double, ptr %a, i64 %j.wide
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.wide.to = getelementptr inbounds double, ptr %b, i64 %j.wide
  store double %v, ptr %b.j.wide.to
  %j.next = add i8 %j, 1
  %j.done = icmp eq i8 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @bytes_no_wrap(ptr noalias %a, ptr noalias %b, i8 %n) {
entry:
  %some = icmp ne i8 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i8 [ 0, %entry ], [ %i.next, %first ]
  %i.wide = zext i8 %i to i64
  %x.at = getelementptr inbounds double, ptr %b, i64 %i.wide
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.wide.to = getelementptr inbounds double, ptr %a, i64 %i.wide
  store double %y, ptr %a.i.wide.to
  %i.next = add nuw nsw i8 %i, 1
  %i.done = icmp eq i8 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i8 [ 0, %between ], [ %j.next, %second ]
  %j.wide = zext i8 %j to i64
  %u.at = getelementptr inbounds double, ptr %a, i64 %j.wide
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.wide.to = getelementptr inbounds double, ptr %b, i64 %j.wide
  store double %v, ptr %b.j.wide.to
  %j.next = add nuw nsw i8 %j, 1
  %j.done = icmp eq i8 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @shorts(ptr noalias %a, ptr noalias %b, i16 %n) {
entry:
  %some = icmp ne i16 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i16 [ 0, %entry ], [ %i.next, %first ]
  %i.wide = zext i16 %i to i64
  %x.at = getelementptr inbounds double, ptr %b, i64 %i.wide
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.wide.to = getelementptr inbounds double, ptr %a, i64 %i.wide
  store double %y, ptr %a.i.wide.to
  %i.next = add nuw nsw i16 %i, 1
  %i.done = icmp eq i16 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i16 [ 0, %between ], [ %j.next, %second ]
  %j.wide = zext i16 %j to i64
  %u.at = getelementptr inbounds double, ptr %a, i64 %j.wide
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.wide.to = getelementptr inbounds double, ptr %b, i64 %j.wide
  store double %v, ptr %b.j.wide.to
  %j.next = add nuw nsw i16 %j, 1
  %j.done = icmp eq i16 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @one_more_may_wrap(ptr noalias %a, ptr noalias %b, i8 %n) {
entry:
  %m = add i8 %n, 1
  %some = icmp eq i8 0, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i8 [ 0, %entry ], [ %i.next, %first ]
  %i.wide = zext i8 %i to i64
  %x.at = getelementptr inbounds double, ptr %b, i64 %i.wide
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.wide.to = getelementptr inbounds double, ptr %a, i64 %i.wide
  store double %y, ptr %a.i.wide.to
  %i.next = add i8 %i, 1
  %i.done = icmp eq i8 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i8 [ 0, %between ], [ %j.next, %second ]
  %j.wide = zext i8 %j to i64
  %u.at = getelementptr inbounds double, ptr %a, i64 %j.wide
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.wide.to = getelementptr inbounds double, ptr %b, i64 %j.wide
  store double %v, ptr %b.j.wide.to
  %j.next = add i8 %j, 1
  %j.done = icmp eq i8 %j.next, %m
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @one_less_may_wrap(ptr noalias %a, ptr noalias %b, i8 %n) {
entry:
  %m = add i8 %n, -1
  %some = icmp eq i8 0, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i8 [ 0, %entry ], [ %i.next, %first ]
  %i.wide = zext i8 %i to i64
  %x.at = getelementptr inbounds double, ptr %b, i64 %i.wide
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.wide.to = getelementptr inbounds double, ptr %a, i64 %i.wide
  store double %y, ptr %a.i.wide.to
  %i.next = add i8 %i, 1
  %i.done = icmp eq i8 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i8 [ 0, %between ], [ %j.next, %second ]
  %j.wide = zext i8 %j to i64
  %u.at = getelementptr inbounds double, ptr %a, i64 %j.wide
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.wide.to = getelementptr inbounds double, ptr %b, i64 %j.wide
  store double %v, ptr %b.j.wide.to
  %j.next = add i8 %j, 1
  %j.done = icmp eq i8 %j.next, %m
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @unsigned_bound(ptr noalias %a, ptr noalias %b, i32 %n) {
entry:
  %some = icmp ne i32 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i32 [ 0, %entry ], [ %i.next, %first ]
  %i.wide = zext i32 %i to i64
  %x.at = getelementptr inbounds double, ptr %b, i64 %i.wide
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.wide.to = getelementptr inbounds double, ptr %a, i64 %i.wide
  store double %y, ptr %a.i.wide.to
  %i.next = add nuw i32 %i, 1
  %i.done = icmp uge i32 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i32 [ 0, %between ], [ %j.next, %second ]
  %j.wide = zext i32 %j to i64
  %u.at = getelementptr inbounds double, ptr %a, i64 %j.wide
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.wide.to = getelementptr inbounds double, ptr %b, i64 %j.wide
  store double %v, ptr %b.j.wide.to
  %j.next = add nuw i32 %j, 1
  %j.done = icmp uge i32 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @narrow_and_wide(ptr noalias %a, ptr noalias %b, i32 %n) {
entry:
  %some = icmp ne i32 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i32 [ 0, %entry ], [ %i.next, %first ]
  %i.wide = zext i32 %i to i64
  %x.at = getelementptr inbounds double, ptr %b, i64 %i.wide
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.wide.to = getelementptr inbounds double, ptr %a, i64 %i.wide
  store double %y, ptr %a.i.wide.to
  %i.next = add nuw nsw i32 %i, 1
  %i.done = icmp eq i32 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  %n.wide = zext i32 %n to i64
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %u.at = getelementptr inbounds double, ptr %a, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.wide.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %v, ptr %b.j.wide.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n.wide
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}
