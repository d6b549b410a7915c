; The exit of a loop is decided by a phi; the loop before leaves at once.

define void @exit_by_phi() {
entry:
  br label %for.body4

for.body4:
  br i1 true, label %for.cond37.preheader, label %for.body4.for.body4_crit_edge

for.body4.for.body4_crit_edge:
  br label %for.body4

for.cond37.preheader:
  %exitcond92.not = phi i1 [ true, %for.cond37.preheader ], [ false, %for.body4 ]
  br i1 %exitcond92.not, label %for.cond.cleanup34, label %for.cond37.preheader

for.cond.cleanup34:
  ret void
}
