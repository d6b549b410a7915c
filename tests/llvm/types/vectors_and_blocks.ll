; Accesses of more than one element: vectors, copies and fills.
; fuse: vectors 1, vectors_and_elements 1, element_of_next_vector 1, copies 1, copies_of_all 1, sets_bytes 1, sets_two_elements 1
; fuse: assumes 1, minimum_of_magic 1, frozen 1
; run: vectors a=f32[4*n] b=f32[4*n] n=0..9
; run: vectors_and_elements a=f32[4*n] b=f32[4*n] n=0..9
; run: element_of_next_vector a=f32[4*n+8] b=f32[4*n] c=f32[n] n=0..9
; run: copies a=f64[n] b=f64[n] n=0..20
; run: copies_of_all a=f64[n] b=f64[n] c=f64[n] n=0..20
; run: sets_bytes a=f64[n] b=f64[n] n=0..20
; run: sets_two_elements a=f64[n+1] b=f64[n] n=0..20
; run: assumes a=f64[n] b=f64[n] n=0..20
; run: minimum_of_magic a=f64[n] b=f64[n] n=0..20
; run: frozen a=f64[n] b=f64[n] n=0..20

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.assume(i1)
declare double @llvm.minnum.f64(double, double)
declare double @llvm.fma.f64(double, double, double)

define void @vectors(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds <4 x float>, ptr %b, i64 %i
  %x = load <4 x float>, ptr %x.at, align 4
  %y = fmul <4 x float> %x, %x
  %a.i.to = getelementptr inbounds <4 x float>, ptr %a, i64 %i
  store <4 x float> %y, ptr %a.i.to, align 4
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %u.at = getelementptr inbounds <4 x float>, ptr %a, i64 %j
  %u = load <4 x float>, ptr %u.at, align 4
  %v = fadd <4 x float> %u, %u
  %b.j.to = getelementptr inbounds <4 x float>, ptr %b, i64 %j
  store <4 x float> %v, ptr %b.j.to, align 4
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @vectors_and_elements(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds <4 x float>, ptr %b, i64 %i
  %x = load <4 x float>, ptr %x.at, align 4
  %y = fmul <4 x float> %x, %x
  %a.i.to = getelementptr inbounds <4 x float>, ptr %a, i64 %i
  store <4 x float> %y, ptr %a.i.to, align 4
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %place = mul i64 %j, 4
  %u.at = getelementptr inbounds float, ptr %a, i64 %place
  %u = load float, ptr %u.at
  %v = fadd float %u, 1.0
  %b.place.to = getelementptr inbounds float, ptr %b, i64 %place
  store float %v, ptr %b.place.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @element_of_next_vector(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds <4 x float>, ptr %b, i64 %i
  %x = load <4 x float>, ptr %x.at, align 4
  %y = fmul <4 x float> %x, %x
  %a.i.to = getelementptr inbounds <4 x float>, ptr %a, i64 %i
  store <4 x float> %y, ptr %a.i.to, align 4
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %between, label %first

between:
  br label %second

second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %place = mul i64 %j, 4
  %ahead = add i64 %place, 5
  %u.at = getelementptr inbounds float, ptr %a, i64 %ahead
  %u = load float, ptr %u.at
  %v = fadd float %u, 1.0
  %c.j.to = getelementptr inbounds float, ptr %c, i64 %j
  store float %v, ptr %c.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @copies(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %from = getelementptr inbounds double, ptr %b, i64 %i
  %to = getelementptr inbounds double, ptr %a, i64 %i
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 8, i1 false)
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

define void @copies_of_all(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n) {
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
  call void @llvm.memcpy.p0.p0.i64(ptr %c, ptr %a, i64 8, i1 false)
  %u.at = getelementptr inbounds double, ptr %c, i64 0
  %u = load double, ptr %u.at
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %u, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @sets_bytes(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %to = getelementptr inbounds double, ptr %a, i64 %i
  call void @llvm.memset.p0.i64(ptr %to, i8 64, i64 8, i1 false)
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

define void @sets_two_elements(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %to = getelementptr inbounds double, ptr %a, i64 %i
  call void @llvm.memset.p0.i64(ptr %to, i8 64, i64 16, i1 false)
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

define void @assumes(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %ok = icmp slt i64 %i, %n
  call void @llvm.assume(i1 %ok)
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %x, ptr %a.i.to
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

define void @minimum_of_magic(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %y = call double @llvm.minnum.f64(double %x, double 0.5)
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
  %v = call double @llvm.fma.f64(double %u, double %u, double 1.0)
  %b.j.to = getelementptr inbounds double, ptr %b, i64 %j
  store double %v, ptr %b.j.to
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %exit, label %second

exit:
  ret void
}

define void @frozen(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %first, label %exit

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %x.at = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %x.at
  %z = freeze double %x
  %a.i.to = getelementptr inbounds double, ptr %a, i64 %i
  store double %z, ptr %a.i.to
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
