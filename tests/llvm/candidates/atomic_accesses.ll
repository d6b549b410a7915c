; Unordered and monotonic accesses are ordered by their addresses alone; stronger ones order all others, and no loop with one is fused.
; fuse: unordered 1, monotonic 1, acquire_load 0, release_store 0, seq_cst_load 0, fence_in_first 0, fence_between 0
; refuse: acquire_load atomic-ordering, release_store atomic-ordering, seq_cst_load atomic-ordering, fence_in_first atomic-ordering
; run: unordered a=f64[n] b=f64[n] n=0..20
; run: monotonic a=f64[n] b=f64[n] n=0..20
; run: acquire_load a=f64[n] b=f64[n] n=0..20
; run: release_store a=f64[n] b=f64[n] n=0..20
; run: seq_cst_load a=f64[n] b=f64[n] n=0..20
; run: fence_in_first a=f64[n] b=f64[n] n=0..20
; run: fence_between a=f64[n] b=f64[n] n=0..20

define void @unordered(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load atomic double, ptr %at unordered, align 8
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
  %to = getelementptr inbounds double, ptr %b, i64 %j
  store atomic double %v, ptr %to unordered, align 8
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @monotonic(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load atomic double, ptr %at monotonic, align 8
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

define void @acquire_load(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load atomic double, ptr %at acquire, align 8
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

define void @release_store(ptr noalias %a, ptr noalias %b, i64 %n) {
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
  %to = getelementptr inbounds double, ptr %b, i64 %j
  store atomic double %v, ptr %to release, align 8
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @seq_cst_load(ptr noalias %a, ptr noalias %b, i64 %n) {
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
  %at2 = getelementptr inbounds double, ptr %a, i64 %j
  %u = load atomic double, ptr %at2 seq_cst, align 8
  %v = fadd double %u, 1.0
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @fence_in_first(ptr noalias %a, ptr noalias %b, i64 %n) {
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
  fence release
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

define void @fence_between(ptr noalias %a, ptr noalias %b, i64 %n) {
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
  fence seq_cst
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
