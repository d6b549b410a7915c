; Loops that end when their data say so.
; fuse: until_found 0, bound_reloaded 0, halving 0, quotient 1
; refuse: until_found no-trip-count, bound_reloaded no-trip-count, halving no-trip-count
; run: until_found a=i64[n] b=i64[n+1] n=1..20
; run: bound_reloaded a=i64[n] b=i64[n] c=i64[1]:0..n n=1..20
; run: halving a=i64[n+1] b=i64[n+1] n=1..20
; run: quotient a=i64[n] b=i64[n] n=0..20 d=1..5

define void @until_found(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %first

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %x, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %more.at = getelementptr inbounds i64, ptr %b, i64 %i.next
  %more = load i64, ptr %more.at
  %low = icmp slt i64 %more, 90
  %in = icmp slt i64 %i.next, %n
  %both = and i1 %low, %in
  br i1 %both, label %first, label %between

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

define void @bound_reloaded(ptr %a, ptr %b, ptr %c, i64 %n) {
entry:
  br label %first

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %x, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %bound = load i64, ptr %c
  %under = icmp slt i64 %i.next, %bound
  br i1 %under, label %first, label %between

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

define void @halving(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %first

first:
  %i = phi i64 [ %n, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %x, ptr %a.i.to
  %i.next = sdiv i64 %i, 2
  %more = icmp sgt i64 %i.next, 0
  br i1 %more, label %first, label %between

between:
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %u.at = getelementptr inbounds i64, ptr %b, i64 %j
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

define void @quotient(ptr noalias %a, ptr noalias %b, i64 %n, i64 %d) {
entry:
  %part = sdiv i64 %n, %d
  %some = icmp sgt i64 %part, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %y = mul i64 %x, 3
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %part
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
  %j.done = icmp eq i64 %j.next, %part
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}
