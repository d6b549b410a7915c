; A block whose address is kept somewhere may be jumped to: its loop stays as it is.
; fuse: first_taken 0, second_taken 0, none_taken 1
; refuse: first_taken address-taken, second_taken address-taken
; run: first_taken a=f64[n] b=f64[n] n=0..20
; run: second_taken a=f64[n] b=f64[n] n=0..20
; run: none_taken a=f64[n] b=f64[n] n=0..20

@of_first = internal constant ptr blockaddress(@first_taken, %first)
@of_second = internal constant ptr blockaddress(@second_taken, %second)
@kept = internal global [2 x ptr] [ptr @of_first, ptr @of_second]

define void @first_taken(ptr noalias %a, ptr noalias %b, i64 %n) {
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
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @second_taken(ptr noalias %a, ptr noalias %b, i64 %n) {
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
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @none_taken(ptr noalias %a, ptr noalias %b, i64 %n) {
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
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}
