; Loops that are not in canonical form are brought there when a fusion results, and stay as they are otherwise.
; fuse: two_entries 1, unknown_start 0, not_closed 1, two_latches 1, tests_first 1, tests_in_the_middle 0, two_heads 0
; always: unknown_start 1
; run: two_entries a=i64[n] b=i64[n] n=0..20 twice=0..1
; run: unknown_start a=i64[n+1] b=i64[n+1] n=0..20 twice=0..1
; run: not_closed a=i64[n] b=i64[n] n=0..20
; run: two_latches a=i64[n] b=i64[n] n=1..20
; run: tests_first a=i64[n] b=i64[n] n=0..20
; run: tests_in_the_middle a=i64[n+1] b=i64[n+1] n=0..20
; run: two_heads a=i64[n+1] b=i64[n+1] n=0..20 twice=0..1

define void @two_entries(ptr noalias %a, ptr noalias %b, i64 %n, i1 %twice) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %choose, label %exit

choose:
  br i1 %twice, label %first, label %once

once:
  br label %first

first:
  %i = phi i64 [ 0, %choose ], [ 0, %once ], [ %i.next, %first ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %y = mul i64 %x, 3
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp sge i64 %i.next, %n
  br i1 %i.done, label %second, label %first

second:
  %j = phi i64 [ 0, %first ], [ %j.next, %second ]
  %u.at = getelementptr inbounds i64, ptr %a, i64 %j
  %u = load i64, ptr %u.at
  %v = xor i64 %u, 5
  %b.j.to = getelementptr inbounds i64, ptr %b, i64 %j
  store i64 %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp sge i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @unknown_start(ptr noalias %a, ptr noalias %b, i64 %n, i1 %twice) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %choose, label %exit

choose:
  br i1 %twice, label %first, label %once

once:
  br label %first

first:
  %i = phi i64 [ 0, %choose ], [ 1, %once ], [ %i.next, %first ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %y = mul i64 %x, 3
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp sge i64 %i.next, %n
  br i1 %i.done, label %second, label %first

second:
  %j = phi i64 [ 0, %first ], [ %j.next, %second ]
  %u.at = getelementptr inbounds i64, ptr %a, i64 %j
  %u = load i64, ptr %u.at
  %v = xor i64 %u, 5
  %b.j.to = getelementptr inbounds i64, ptr %b, i64 %j
  store i64 %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp sge i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define i64 @not_closed(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %first ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %sum.next = add i64 %sum, %x
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %sum.next, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %second, label %first

second:
  %j = phi i64 [ 0, %first ], [ %j.next, %second ]
  %u.at = getelementptr inbounds i64, ptr %a, i64 %j
  %u = load i64, ptr %u.at
  %v = xor i64 %u, 5
  %b.j.to = getelementptr inbounds i64, ptr %b, i64 %j
  store i64 %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %last, label %second

last:
  %twice = add i64 %sum.next, %j
  ret i64 %twice

exit:
  ret i64 -1
}

define void @two_latches(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %first

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %low ], [ %i.next, %high ]
  %in = icmp slt i64 %i, %n
  %i.next = add nsw i64 %i, 1
  br i1 %in, label %body, label %between

body:
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %is.low = icmp slt i64 %x, 0
  br i1 %is.low, label %low, label %high

low:
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 0, ptr %a.i.to
  br label %first

high:
  %a.i.too = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %x, ptr %a.i.too
  br label %first

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

define void @tests_first(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %first

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first.body ]
  %i.in = icmp slt i64 %i, %n
  br i1 %i.in, label %first.body, label %second

first.body:
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %y = mul i64 %x, 3
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %y, ptr %a.i.to
  %i.next = add nuw nsw i64 %i, 1
  br label %first

second:
  %j = phi i64 [ 0, %first ], [ %j.next, %second.body ]
  %j.in = icmp slt i64 %j, %n
  br i1 %j.in, label %second.body, label %exit

second.body:
  %u.at = getelementptr inbounds i64, ptr %a, i64 %j
  %u = load i64, ptr %u.at
  %v = xor i64 %u, 5
  %b.j.to = getelementptr inbounds i64, ptr %b, i64 %j
  store i64 %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  br label %second

exit:
  ret void
}

define void @tests_in_the_middle(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %first

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first.rest ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %i.next = add nuw nsw i64 %i, 1
  %i.in = icmp slt i64 %i.next, %n
  br i1 %i.in, label %first.rest, label %second

first.rest:
  %y = mul i64 %x, 3
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %y, ptr %a.i.to
  br label %first

second:
  %j = phi i64 [ 0, %first ], [ %j.next, %second.rest ]
  %u.at = getelementptr inbounds i64, ptr %a, i64 %j
  %u = load i64, ptr %u.at
  %j.next = add nuw nsw i64 %j, 1
  %j.in = icmp slt i64 %j.next, %n
  br i1 %j.in, label %second.rest, label %exit

second.rest:
  %v = xor i64 %u, 5
  %b.j.to = getelementptr inbounds i64, ptr %b, i64 %j
  store i64 %v, ptr %b.j.to
  br label %second

exit:
  ret void
}

define void @two_heads(ptr noalias %a, ptr noalias %b, i64 %n, i1 %twice) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %choose, label %exit

choose:
  br i1 %twice, label %one, label %other

one:
  %p = phi i64 [ 0, %choose ], [ %q.next, %other ]
  %p.next = add nuw nsw i64 %p, 1
  %a.p.to = getelementptr inbounds i64, ptr %a, i64 %p
  store i64 %p, ptr %a.p.to
  %p.done = icmp sge i64 %p.next, %n
  br i1 %p.done, label %second, label %other

other:
  %q = phi i64 [ 0, %choose ], [ %p.next, %one ]
  %q.next = add nuw nsw i64 %q, 1
  %a.q.to = getelementptr inbounds i64, ptr %a, i64 %q
  store i64 3, ptr %a.q.to
  %q.done = icmp sge i64 %q.next, %n
  br i1 %q.done, label %second, label %one

second:
  %j = phi i64 [ 0, %one ], [ 0, %other ], [ %j.next, %second ]
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
