; Between two loops one whose exit is in its second block.

define i64 @loop_between() {
entry:
  br label %for.cond

for.cond:
  br i1 false, label %for.cond, label %for.cond51

for.cond51:
  br label %cond.true54

cond.true54:
  br i1 false, label %for.body61, label %for.cond69

for.body61:
  store i8 0, ptr null, align 1
  br label %for.cond51

for.cond69:
  %cmp71 = icmp ult i32 0, 0
  br i1 %cmp71, label %for.body73, label %for.end106

for.body73:
  %0 = load i8, ptr null, align 1
  br label %for.cond69

for.end106:
  ret i64 0
}
