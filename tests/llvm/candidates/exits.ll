; Several ways out of a loop.
; fuse: to_the_end 0, to_the_same_block 0, two_latches_with_exits 0
; refuse: to_the_end several-exits, to_the_same_block several-exits, two_latches_with_exits several-exits
; run: to_the_end a=i64[n] b=i64[n] n=0..20
; run: to_the_same_block a=i64[n] b=i64[n] n=0..20
; run: two_latches_with_exits a=i64[n] b=i64[n] n=0..20

define void @to_the_end(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %goes.on ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %high = icmp sgt i64 %x, 95
  br i1 %high, label %exit, label %goes.on

goes.on:
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %x, ptr %a.i.to
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

define void @to_the_same_block(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %goes.on ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %high = icmp sgt i64 %x, 95
  br i1 %high, label %between, label %goes.on

goes.on:
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %x, ptr %a.i.to
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

define void @two_latches_with_exits(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.low, %low ], [ %i.high, %high ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %is.low = icmp slt i64 %x, 0
  br i1 %is.low, label %low, label %high

low:
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 0, ptr %a.i.to
  %i.low = add nuw nsw i64 %i, 1
  %low.done = icmp eq i64 %i.low, %n
  br i1 %low.done, label %between, label %first

high:
  %a.i.too = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %x, ptr %a.i.too
  %i.high = add nuw nsw i64 %i, 1
  %high.done = icmp eq i64 %i.high, %n
  br i1 %high.done, label %between, label %first

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
