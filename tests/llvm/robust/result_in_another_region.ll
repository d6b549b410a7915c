; The condition of a later fusion is the result of a loop of an earlier one, in another region.

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define double @result_in_another_region(i32 noundef %0, i32 noundef %1, ptr nocapture noundef readonly %2, ptr nocapture noundef readonly %3, ptr nocapture noundef %4, ptr nocapture noundef readonly %5, ptr nocapture readnone %6) {
  %8 = add nsw i32 %0, 16
  %9 = sext i32 %8 to i64
  %10 = shl nsw i64 %9, 3
  %11 = tail call ptr @malloc(i64 noundef %10)
  %12 = getelementptr inbounds i8, ptr %11, i64 64
  %13 = icmp sgt i32 %0, -16
  br i1 %13, label %14, label %123

14:
  %15 = add i32 %0, 7
  %16 = tail call i32 @llvm.smax.i32(i32 %15, i32 -8)
  %17 = add i32 %16, 1
  br label %22

18:
  %19 = icmp sgt i32 %0, 2
  br i1 %19, label %20, label %28

20:
  %21 = zext nneg i32 %0 to i64
  br label %36

22:
  %23 = phi i64 [ -8, %14 ], [ %25, %22 ]
  %24 = getelementptr inbounds double, ptr %12, i64 %23
  store double 7.000000e+00, ptr %24, align 8
  %25 = add nsw i64 %23, 1
  %26 = trunc i64 %25 to i32
  %27 = icmp eq i32 %17, %26
  br i1 %27, label %18, label %22

28:
  %29 = phi i1 [ false, %18 ], [ %19, %36 ]
  %30 = getelementptr i8, ptr %4, i64 -16
  %31 = icmp sgt i32 %0, -1
  br i1 %31, label %32, label %56

32:
  %33 = add nuw i32 %0, 2
  %34 = tail call i32 @llvm.smax.i32(i32 %33, i32 2)
  %35 = zext nneg i32 %34 to i64
  br label %61

36:
  %37 = phi i64 [ 2, %20 ], [ %54, %36 ]
  %38 = getelementptr inbounds double, ptr %4, i64 %37
  %39 = load double, ptr %38, align 8
  %40 = fmul double %39, 2.500000e-01
  %41 = getelementptr inbounds double, ptr %2, i64 %37
  %42 = load double, ptr %41, align 8
  %43 = fsub double %40, %42
  %44 = fmul double %43, 1.250000e-01
  %45 = fsub double 3.000000e+00, %42
  %46 = or disjoint i64 %37, 1
  %47 = getelementptr inbounds double, ptr %2, i64 %46
  %48 = load double, ptr %47, align 8
  %49 = fmul double %48, 1.250000e-01
  %50 = fcmp olt double %45, %49
  %51 = select i1 %50, double %45, double %49
  %52 = fadd double %44, %51
  %53 = getelementptr inbounds double, ptr %12, i64 %37
  store double %52, ptr %53, align 8
  %54 = add nuw nsw i64 %37, 2
  %55 = icmp ult i64 %54, %21
  br i1 %55, label %36, label %28

56:
  %57 = sext i32 %0 to i64
  br i1 %29, label %58, label %123

58:
  %59 = getelementptr i8, ptr %4, i64 8
  %60 = load double, ptr %59, align 8
  br label %77

61:
  %62 = phi i64 [ %70, %61 ], [ 1, %32 ]
  %63 = getelementptr inbounds double, ptr %3, i64 %62
  %64 = load double, ptr %63, align 8
  %65 = fmul double %64, 5.000000e-01
  %66 = getelementptr double, ptr %30, i64 %62
  %67 = load double, ptr %66, align 8
  %68 = fadd double %65, %67
  %69 = getelementptr inbounds double, ptr %12, i64 %62
  store double %68, ptr %69, align 8
  %70 = add nuw nsw i64 %62, 1
  %71 = icmp eq i64 %70, %35
  br i1 %71, label %56, label %61

72:
  br i1 %29, label %73, label %123

73:
  %74 = getelementptr inbounds i8, ptr %5, i64 24
  %75 = icmp sgt i32 %1, 0
  %76 = zext nneg i32 %1 to i64
  br label %118

77:
  %78 = phi double [ %60, %58 ], [ %116, %77 ]
  %79 = phi i64 [ 2, %58 ], [ %106, %77 ]
  %80 = uitofp nneg i64 %79 to double
  %81 = getelementptr inbounds double, ptr %4, i64 %79
  %82 = load double, ptr %81, align 8
  %83 = fsub double %80, %82
  %84 = getelementptr inbounds double, ptr %2, i64 %79
  %85 = load double, ptr %84, align 8
  %86 = fmul double %85, 2.500000e-01
  %87 = add nsw i64 %79, -3
  %88 = getelementptr inbounds double, ptr %12, i64 %87
  %89 = load double, ptr %88, align 8
  %90 = fsub double %86, %89
  %91 = fcmp ogt double %90, 3.000000e+00
  %92 = select i1 %91, double 3.000000e+00, double %90
  %93 = fsub double %83, %92
  store double %93, ptr %81, align 8
  %94 = getelementptr inbounds double, ptr %5, i64 %79
  %95 = load double, ptr %94, align 8
  %96 = fadd double %95, 3.000000e+00
  %97 = getelementptr inbounds double, ptr %4, i64 %87
  %98 = load double, ptr %97, align 8
  %99 = fmul double %98, 5.000000e-01
  %100 = getelementptr i8, ptr %94, i64 -16
  %101 = load double, ptr %100, align 8
  %102 = fadd double %99, %101
  %103 = fcmp olt double %96, %102
  %104 = select i1 %103, double %96, double %102
  %105 = fmul double %104, 5.000000e-01
  %106 = add nuw nsw i64 %79, 1
  %107 = getelementptr inbounds double, ptr %5, i64 %106
  %108 = load double, ptr %107, align 8
  %109 = fadd double %108, 4.500000e+00
  %110 = fmul double %109, 2.500000e-01
  %111 = getelementptr inbounds i8, ptr %94, i64 24
  %112 = load double, ptr %111, align 8
  %113 = fcmp olt double %78, %112
  %114 = select i1 %113, double %78, double %112
  %115 = fsub double %110, %114
  %116 = fadd double %105, %115
  store double %116, ptr %81, align 8
  %117 = icmp eq i64 %106, %57
  br i1 %117, label %72, label %77

118:
  %119 = phi i32 [ 2, %73 ], [ %127, %125 ]
  %120 = phi double [ 3.000000e+00, %73 ], [ %126, %125 ]
  br i1 %75, label %129, label %125

121:
  %122 = fadd double %126, 0.000000e+00
  br label %123

123:
  %124 = phi double [ 3.000000e+00, %72 ], [ %122, %121 ], [ 3.000000e+00, %56 ], [ 3.000000e+00, %7 ]
  tail call void @free(ptr noundef %11)
  ret double %124

125:
  %126 = phi double [ %120, %118 ], [ %135, %129 ]
  %127 = add nuw nsw i32 %119, 1
  %128 = icmp eq i32 %127, %0
  br i1 %128, label %121, label %118

129:
  %130 = phi i64 [ %136, %129 ], [ 0, %118 ]
  %131 = phi double [ %135, %129 ], [ %120, %118 ]
  %132 = getelementptr inbounds double, ptr %74, i64 %130
  %133 = load double, ptr %132, align 8
  %134 = fcmp olt double %133, %131
  %135 = select i1 %134, double %133, double %131
  %136 = add nuw nsw i64 %130, 1
  %137 = icmp eq i64 %136, %76
  br i1 %137, label %125, label %129
}

declare noalias noundef ptr @malloc(i64 noundef)

declare void @free(ptr allocptr nocapture noundef)

declare i32 @llvm.smax.i32(i32, i32)
