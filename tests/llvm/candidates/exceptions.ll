; Calls that may throw, with and without a place that catches: loops keep their order to what may be thrown.
; fuse: invoked 0, invoked_between 0, called_between 0
; refuse: invoked may-throw
; run: invoked a=i64[n] b=i64[n] n=0..20
; run: invoked_between a=i64[n] b=i64[n] n=0..20
; run: called_between a=i64[n] b=i64[n] n=0..20

declare i32 @__gcc_personality_v0(...)
declare void @observe(i64)
declare void @observe_memory()

define void @invoked(ptr noalias %a, ptr noalias %b, i64 %n) personality ptr @__gcc_personality_v0 {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %went ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %x, ptr %a.i.to
  invoke void @observe(i64 %x) to label %went unwind label %caught

went:
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

caught:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad

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

define void @invoked_between(ptr %a, ptr %b, i64 %n) personality ptr @__gcc_personality_v0 {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %went ]
  %x.at = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %x.at
  %a.i.to = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %x, ptr %a.i.to
  br label %went

went:
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

caught:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad

between:
  invoke void @observe(i64 3) to label %ready unwind label %caught

ready:
  br label %second

second:
  %j = phi i64 [ 0, %ready ], [ %j.next, %second ]
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

define void @called_between(ptr %a, ptr %b, i64 %n) {
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
  call void @observe_memory()
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
