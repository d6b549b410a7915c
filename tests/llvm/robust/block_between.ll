; A block with a call between loops that never end, or end at once.

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define double @block_between(i1 %cmp4123) {
entry:
  br label %for.body

for.cond1.preheader:
  br i1 false, label %for.body6.preheader, label %for.cond.cleanup5

for.body6.preheader:
  call void @llvm.memcpy.p0.p0.i64(ptr null, ptr null, i64 1, i1 false)
  br label %for.cond.cleanup5

for.body:
  br i1 true, label %for.cond1.preheader, label %for.body

for.cond.cleanup5:
  br i1 %cmp4123, label %for.body18, label %if.end

for.body18:
  br i1 true, label %for.body56, label %for.body18

for.body56:
  %0 = load double, ptr null, align 8
  br label %if.end

if.end:
  ret double 0.000000e+00
}
