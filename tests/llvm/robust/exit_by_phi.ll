; The exit of a loop is decided by a phi.

define void @exit_by_phi() {
entry:
  br label %for.cond

for.cond:
  br i1 false, label %for.cond.for.cond_crit_edge, label %for.cond31

for.cond.for.cond_crit_edge:
  br label %for.cond

for.cond31:
  %cmp32 = phi i1 [ true, %for.cond ], [ false, %for.cond31 ]
  br i1 %cmp32, label %for.cond31, label %for.end52

for.end52:
  ret void
}
