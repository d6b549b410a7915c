; Volatile accesses stay where they are: no loop with one is fused.
; fuse: load_in_first 0, store_in_second 0, between 0, copy 0
; refuse: load_in_first volatile-access, store_in_second volatile-access, copy volatile-access
; run: load_in_first a=f64[n] b=f64[n] n=0..20
; run: store_in_second a=f64[n] b=f64[n] n=0..20
; run: between a=f64[n] b=f64[n] n=0..20
; run: copy a=f64[n] b=f64[n] n=0..20

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @load_in_first(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load volatile double, ptr %x.at
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

define void @store_in_second(ptr noalias %a, ptr noalias %b, i64 %n) {
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
  %u.at = getelementptr inbounds double, ptr %a, i64 %j
  %u = load double, ptr %u.at
  %v = fadd double %u, 1.0
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store volatile double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @between(ptr noalias %a, ptr noalias %b, i64 %n) {
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
  %old = load volatile double, ptr %a
  store volatile double %old, ptr %a
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

define void @copy(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %x, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %from = getelementptr inbounds double, ptr %a, i64 %j
  %to = getelementptr inbounds double, ptr %b, i64 %j
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 8, i1 true)
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}
