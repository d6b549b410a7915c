; Calls in bodies, by their attributes. A loop is no candidate where one may throw, may not return, or must not run under other conditions.
; fuse: of_nothing 1, may_throw 0, may_not_return 0, may_leave 0, outside_one 1, outside_both 0, convergent_call 0, reads_argument 1
; fuse: reads_written 0, writes_own 1, sees_all_between 0, sees_nothing_between 1
; refuse: may_throw may-throw, may_not_return may-not-return, may_leave may-not-return, outside_both call-memory, convergent_call convergent-call
; refuse: reads_written call-memory, sees_all_between code-between
; run: of_nothing a=f64[n] b=f64[n] n=0..20
; run: may_throw a=i64[n] b=i64[n] n=0..20
; run: may_not_return a=i64[n] b=i64[n] n=0..20
; run: may_leave a=i64[n] b=i64[n] n=0..20
; run: outside_one a=i64[n] b=i64[n] n=0..20
; run: outside_both a=i64[n] b=i64[n] n=0..20
; run: convergent_call a=f64[n] b=f64[n] n=0..20
; run: reads_argument a=f64[n] b=f64[n] n=0..20
; run: reads_written a=f64[n] b=f64[n] n=0..20
; run: writes_own a=f64[n] b=f64[n] n=0..20
; run: sees_all_between a=f64[n] b=f64[n] n=0..20
; run: sees_nothing_between a=i64[n] b=i64[n] n=0..20

declare double @pure(double)
declare void @observe(i64)
declare void @observe_memory()
declare void @leave_if(i64)
declare double @peek(ptr nocapture)
declare void @poke(ptr nocapture, double)

attributes #0 = { nounwind willreturn memory(none) }
attributes #1 = { nounwind }
attributes #2 = { nounwind willreturn memory(inaccessiblemem: readwrite) }
attributes #3 = { nounwind willreturn memory(none) convergent }
attributes #4 = { nounwind willreturn memory(argmem: read) }
attributes #5 = { nounwind willreturn memory(argmem: write) }
attributes #6 = { nounwind willreturn }

define void @of_nothing(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %y = call double @pure(double %x) #0
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %u.at = getelementptr inbounds double, ptr %a, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @may_throw(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %x, ptr %a.i.to
  call void @observe(i64 %x)
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %u.at = getelementptr inbounds i64, ptr %a, i64 %j
  %u = load i64, ptr %u.at
  %v = xor i64 %u, 5
  %b.j.to = getelementptr inbounds i64, ptr %b, i64 %j
  store i64 %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @may_not_return(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %x, ptr %a.i.to
  call void @observe(i64 %x) #1
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %u.at = getelementptr inbounds i64, ptr %a, i64 %j
  %u = load i64, ptr %u.at
  %v = xor i64 %u, 5
  %b.j.to = getelementptr inbounds i64, ptr %b, i64 %j
  store i64 %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @may_leave(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %y = mul i64 %x, 3
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %u.at = getelementptr inbounds i64, ptr %a, i64 %j
  %u = load i64, ptr %u.at
  %v = xor i64 %u, 5
  %b.j.to = getelementptr inbounds i64, ptr %b, i64 %j
  store i64 %v, ptr %b.j.to
  %high = icmp sgt i64 %v, 90
  %go = zext i1 %high to i64
  call void @leave_if(i64 %go) #1
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @outside_one(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %y = mul i64 %x, 3
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %y, ptr %a.i.to
  call void @observe(i64 %y) #2
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %u.at = getelementptr inbounds i64, ptr %a, i64 %j
  %u = load i64, ptr %u.at
  %v = xor i64 %u, 5
  %b.j.to = getelementptr inbounds i64, ptr %b, i64 %j
  store i64 %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @outside_both(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %y = mul i64 %x, 3
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %y, ptr %a.i.to
  call void @observe(i64 %y) #2
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %u.at = getelementptr inbounds i64, ptr %a, i64 %j
  %u = load i64, ptr %u.at
  %v = xor i64 %u, 5
  %b.j.to = getelementptr inbounds i64, ptr %b, i64 %j
  store i64 %v, ptr %b.j.to
  call void @observe(i64 %v) #2
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @convergent_call(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %y = call double @pure(double %x) #3
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %u.at = getelementptr inbounds double, ptr %a, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @reads_argument(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %c = call double @peek(ptr %b) #4
  %y = fmul double %x, %c
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %u.at = getelementptr inbounds double, ptr %a, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %a.j.to = getelementptr inbounds double, ptr %a, i64 %j
  store double %v, ptr %a.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @reads_written(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %c = call double @peek(ptr %a) #4
  %u.at = getelementptr inbounds double, ptr %b, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, %c
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @writes_own(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %to = getelementptr inbounds double, ptr %a, i64 %i
  call void @poke(ptr %to, double %x) #5
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %u.at = getelementptr inbounds double, ptr %b, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @sees_all_between(ptr %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %a, i64 %i
  %x = load double, ptr %x.at
  %y = fmul double %x, 2.0
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  call void @observe_memory() #6
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %u.at = getelementptr inbounds double, ptr %a, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %a.j.to = getelementptr inbounds double, ptr %a, i64 %j
  store double %v, ptr %a.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @sees_nothing_between(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %y = mul i64 %x, 3
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  call void @observe(i64 7) #2
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %u.at = getelementptr inbounds i64, ptr %a, i64 %j
  %u = load i64, ptr %u.at
  %v = xor i64 %u, 5
  %b.j.to = getelementptr inbounds i64, ptr %b, i64 %j
  store i64 %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}
