; Atomic updates, which read and write: one place for all iterations orders them, so only one of the loops may have such.
; fuse: counted_monotonic 1, counted_in_both 0, counted_acquire_release 0, exchanged_seq_cst 0, exchanged_monotonic 1, elements_exchanged 1
; refuse: counted_in_both backward-dependence, counted_acquire_release atomic-ordering, exchanged_seq_cst atomic-ordering
; run: counted_monotonic a=i64[n] b=i64[n] count=i64[1] n=0..20
; run: counted_in_both a=i64[n] b=i64[n] count=i64[1] n=0..20
; run: counted_acquire_release a=i64[n] b=i64[n] count=i64[1] n=0..20
; run: exchanged_seq_cst a=i64[n] b=i64[n] count=i64[1] n=0..20
; run: exchanged_monotonic a=i64[n] b=i64[n] count=i64[1] n=0..20
; run: elements_exchanged a=i64[n] b=i64[n] count=i64[1] n=0..20

define void @counted_monotonic(ptr noalias %a, ptr noalias %b, ptr noalias %count, i64 %n) {
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
  %old = atomicrmw add ptr %count, i64 %y monotonic
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

define void @counted_in_both(ptr noalias %a, ptr noalias %b, ptr noalias %count, i64 %n) {
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
  %old = atomicrmw add ptr %count, i64 %y monotonic
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
  %old2 = atomicrmw xor ptr %count, i64 %v monotonic
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @counted_acquire_release(ptr noalias %a, ptr noalias %b, ptr noalias %count, i64 %n) {
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
  %old = atomicrmw add ptr %count, i64 %y acq_rel
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

define void @exchanged_seq_cst(ptr noalias %a, ptr noalias %b, ptr noalias %count, i64 %n) {
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
  %pair = cmpxchg ptr %count, i64 %u, i64 %v seq_cst seq_cst
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @exchanged_monotonic(ptr noalias %a, ptr noalias %b, ptr noalias %count, i64 %n) {
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
  %pair = cmpxchg ptr %count, i64 %u, i64 %v monotonic monotonic
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @elements_exchanged(ptr noalias %a, ptr noalias %b, ptr noalias %count, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %to = getelementptr inbounds i64, ptr %a, i64 %i
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %old = atomicrmw xchg ptr %to, i64 %x monotonic
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
