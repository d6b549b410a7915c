; Guards with something on their other way: an empty block, or code that both ways' values meet behind.
; fuse: second_empty 1, second_code 1, first_empty 1, first_code 1, both_empty 1, both_code 1
; run: second_empty a=f64[n] b=f64[n] at=f64[1] n=0..20
; run: second_code a=f64[n] b=f64[n] at=f64[1] n=0..20
; run: first_empty a=f64[n] b=f64[n] at=f64[1] n=0..20
; run: first_code a=f64[n] b=f64[n] at=f64[1] n=0..20
; run: both_empty a=f64[n] b=f64[n] at=f64[1] n=0..20
; run: both_code a=f64[n] b=f64[n] at=f64[1] n=0..20

define double @second_empty(ptr noalias %a, ptr noalias %b, ptr noalias %at, i64 %n) {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %l1.ph, label %mid
l1.ph:
  br label %l1
l1:
  %l1.i = phi i64 [ 0, %l1.ph ], [ %l1.j, %l1 ]
  %l1.p = getelementptr inbounds double, ptr %b, i64 %l1.i
  %l1.x = load double, ptr %l1.p
  %l1.y = fmul double %l1.x, 2.0
  %l1.q = getelementptr inbounds double, ptr %a, i64 %l1.i
  store double %l1.y, ptr %l1.q
  %l1.j = add nuw nsw i64 %l1.i, 1
  %l1.d = icmp eq i64 %l1.j, %n
  br i1 %l1.d, label %l1.exit, label %l1
l1.exit:
  br label %mid
mid:
  br i1 %any, label %l2.ph, label %skip2
l2.ph:
  br label %l2
l2:
  %l2.i = phi i64 [ 0, %l2.ph ], [ %l2.j, %l2 ]
  %l2.p = getelementptr inbounds double, ptr %a, i64 %l2.i
  %l2.x = load double, ptr %l2.p
  %l2.y = fadd double %l2.x, 1.0
  %l2.q = getelementptr inbounds double, ptr %b, i64 %l2.i
  store double %l2.y, ptr %l2.q
  %l2.j = add nuw nsw i64 %l2.i, 1
  %l2.d = icmp eq i64 %l2.j, %n
  br i1 %l2.d, label %l2.exit, label %l2
l2.exit:
  br label %end
skip2:
  br label %end
end:
  ret double 0.0
}

define double @second_code(ptr noalias %a, ptr noalias %b, ptr noalias %at, i64 %n) {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %l1.ph, label %mid
l1.ph:
  br label %l1
l1:
  %l1.i = phi i64 [ 0, %l1.ph ], [ %l1.j, %l1 ]
  %l1.p = getelementptr inbounds double, ptr %b, i64 %l1.i
  %l1.x = load double, ptr %l1.p
  %l1.y = fmul double %l1.x, 2.0
  %l1.q = getelementptr inbounds double, ptr %a, i64 %l1.i
  store double %l1.y, ptr %l1.q
  %l1.j = add nuw nsw i64 %l1.i, 1
  %l1.d = icmp eq i64 %l1.j, %n
  br i1 %l1.d, label %l1.exit, label %l1
l1.exit:
  br label %mid
mid:
  %v = phi double [ 1.0, %l1.exit ], [ 2.0, %entry ]
  br i1 %any, label %l2.ph, label %skip2
l2.ph:
  br label %l2
l2:
  %l2.i = phi i64 [ 0, %l2.ph ], [ %l2.j, %l2 ]
  %l2.p = getelementptr inbounds double, ptr %a, i64 %l2.i
  %l2.x = load double, ptr %l2.p
  %l2.y = fadd double %l2.x, 1.0
  %l2.q = getelementptr inbounds double, ptr %b, i64 %l2.i
  store double %l2.y, ptr %l2.q
  %l2.j = add nuw nsw i64 %l2.i, 1
  %l2.d = icmp eq i64 %l2.j, %n
  br i1 %l2.d, label %l2.exit, label %l2
l2.exit:
  br label %end
skip2:
  store double 5.0, ptr %at
  br label %end
end:
  %w = phi double [ %v, %l2.exit ], [ 3.0, %skip2 ]
  ret double %w
}

define double @first_empty(ptr noalias %a, ptr noalias %b, ptr noalias %at, i64 %n) {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %l1.ph, label %skip1
l1.ph:
  br label %l1
l1:
  %l1.i = phi i64 [ 0, %l1.ph ], [ %l1.j, %l1 ]
  %l1.p = getelementptr inbounds double, ptr %b, i64 %l1.i
  %l1.x = load double, ptr %l1.p
  %l1.y = fmul double %l1.x, 2.0
  %l1.q = getelementptr inbounds double, ptr %a, i64 %l1.i
  store double %l1.y, ptr %l1.q
  %l1.j = add nuw nsw i64 %l1.i, 1
  %l1.d = icmp eq i64 %l1.j, %n
  br i1 %l1.d, label %l1.exit, label %l1
l1.exit:
  br label %mid
skip1:
  br label %mid
mid:
  %v = phi double [ 1.0, %l1.exit ], [ 2.0, %skip1 ]
  br i1 %any, label %l2.ph, label %end
l2.ph:
  br label %l2
l2:
  %l2.i = phi i64 [ 0, %l2.ph ], [ %l2.j, %l2 ]
  %l2.p = getelementptr inbounds double, ptr %a, i64 %l2.i
  %l2.x = load double, ptr %l2.p
  %l2.y = fadd double %l2.x, 1.0
  %l2.q = getelementptr inbounds double, ptr %b, i64 %l2.i
  store double %l2.y, ptr %l2.q
  %l2.j = add nuw nsw i64 %l2.i, 1
  %l2.d = icmp eq i64 %l2.j, %n
  br i1 %l2.d, label %l2.exit, label %l2
l2.exit:
  br label %end
end:
  %w = phi double [ %v, %l2.exit ], [ 3.0, %mid ]
  ret double %w
}

define double @first_code(ptr noalias %a, ptr noalias %b, ptr noalias %at, i64 %n) {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %l1.ph, label %skip1
l1.ph:
  br label %l1
l1:
  %l1.i = phi i64 [ 0, %l1.ph ], [ %l1.j, %l1 ]
  %l1.p = getelementptr inbounds double, ptr %b, i64 %l1.i
  %l1.x = load double, ptr %l1.p
  %l1.y = fmul double %l1.x, 2.0
  %l1.q = getelementptr inbounds double, ptr %a, i64 %l1.i
  store double %l1.y, ptr %l1.q
  %l1.j = add nuw nsw i64 %l1.i, 1
  %l1.d = icmp eq i64 %l1.j, %n
  br i1 %l1.d, label %l1.exit, label %l1
l1.exit:
  br label %mid
skip1:
  store double 5.0, ptr %at
  br label %mid
mid:
  %v = phi double [ 1.0, %l1.exit ], [ 2.0, %skip1 ]
  br i1 %any, label %l2.ph, label %end
l2.ph:
  br label %l2
l2:
  %l2.i = phi i64 [ 0, %l2.ph ], [ %l2.j, %l2 ]
  %l2.p = getelementptr inbounds double, ptr %a, i64 %l2.i
  %l2.x = load double, ptr %l2.p
  %l2.y = fadd double %l2.x, 1.0
  %l2.q = getelementptr inbounds double, ptr %b, i64 %l2.i
  store double %l2.y, ptr %l2.q
  %l2.j = add nuw nsw i64 %l2.i, 1
  %l2.d = icmp eq i64 %l2.j, %n
  br i1 %l2.d, label %l2.exit, label %l2
l2.exit:
  br label %end
end:
  %w = phi double [ %v, %l2.exit ], [ 3.0, %mid ]
  ret double %w
}

define double @both_empty(ptr noalias %a, ptr noalias %b, ptr noalias %at, i64 %n) {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %l1.ph, label %skip1
l1.ph:
  br label %l1
l1:
  %l1.i = phi i64 [ 0, %l1.ph ], [ %l1.j, %l1 ]
  %l1.p = getelementptr inbounds double, ptr %b, i64 %l1.i
  %l1.x = load double, ptr %l1.p
  %l1.y = fmul double %l1.x, 2.0
  %l1.q = getelementptr inbounds double, ptr %a, i64 %l1.i
  store double %l1.y, ptr %l1.q
  %l1.j = add nuw nsw i64 %l1.i, 1
  %l1.d = icmp eq i64 %l1.j, %n
  br i1 %l1.d, label %l1.exit, label %l1
l1.exit:
  br label %mid
skip1:
  br label %mid
mid:
  %v = phi double [ 1.0, %l1.exit ], [ 2.0, %skip1 ]
  br i1 %any, label %l2.ph, label %skip2
l2.ph:
  br label %l2
l2:
  %l2.i = phi i64 [ 0, %l2.ph ], [ %l2.j, %l2 ]
  %l2.p = getelementptr inbounds double, ptr %a, i64 %l2.i
  %l2.x = load double, ptr %l2.p
  %l2.y = fadd double %l2.x, 1.0
  %l2.q = getelementptr inbounds double, ptr %b, i64 %l2.i
  store double %l2.y, ptr %l2.q
  %l2.j = add nuw nsw i64 %l2.i, 1
  %l2.d = icmp eq i64 %l2.j, %n
  br i1 %l2.d, label %l2.exit, label %l2
l2.exit:
  br label %end
skip2:
  br label %end
end:
  %w = phi double [ %v, %l2.exit ], [ 3.0, %skip2 ]
  ret double %w
}

define double @both_code(ptr noalias %a, ptr noalias %b, ptr noalias %at, i64 %n) {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %l1.ph, label %skip1
l1.ph:
  br label %l1
l1:
  %l1.i = phi i64 [ 0, %l1.ph ], [ %l1.j, %l1 ]
  %l1.p = getelementptr inbounds double, ptr %b, i64 %l1.i
  %l1.x = load double, ptr %l1.p
  %l1.y = fmul double %l1.x, 2.0
  %l1.q = getelementptr inbounds double, ptr %a, i64 %l1.i
  store double %l1.y, ptr %l1.q
  %l1.j = add nuw nsw i64 %l1.i, 1
  %l1.d = icmp eq i64 %l1.j, %n
  br i1 %l1.d, label %l1.exit, label %l1
l1.exit:
  br label %mid
skip1:
  store double 5.0, ptr %at
  br label %mid
mid:
  %v = phi double [ 1.0, %l1.exit ], [ 2.0, %skip1 ]
  br i1 %any, label %l2.ph, label %skip2
l2.ph:
  br label %l2
l2:
  %l2.i = phi i64 [ 0, %l2.ph ], [ %l2.j, %l2 ]
  %l2.p = getelementptr inbounds double, ptr %a, i64 %l2.i
  %l2.x = load double, ptr %l2.p
  %l2.y = fadd double %l2.x, 1.0
  %l2.q = getelementptr inbounds double, ptr %b, i64 %l2.i
  store double %l2.y, ptr %l2.q
  %l2.j = add nuw nsw i64 %l2.i, 1
  %l2.d = icmp eq i64 %l2.j, %n
  br i1 %l2.d, label %l2.exit, label %l2
l2.exit:
  br label %end
skip2:
  store double 5.0, ptr %at
  br label %end
end:
  %w = phi double [ %v, %l2.exit ], [ 3.0, %skip2 ]
  ret double %w
}
